import CoreData

/// A class with a relationship of each kind.
@objc(Team) public class Team: NSManagedObject {
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Team> {
        NSFetchRequest<Team>(entityName: "Team")
    }
    @NSManaged public var name: String?
    @NSManaged public var captain: Player?
    @NSManaged public var coach: Player
    @NSManaged public var players: Set<Player>
    @NSManaged public var fans: Set<Player>?
    @NSManaged public var guests: NSSet
    @NSManaged public var lineup: NSOrderedSet
    @NSManaged public var bench: NSOrderedSet?

    var sortedPlayers: [Player] { players.sorted { ($0.name ?? "") < ($1.name ?? "") } }
    var lineupArray: [Player] { lineup.array as? [Player] ?? [] }
    var guestArray: [Player] {
        let set = guests as? Set<Player> ?? []
        return set.sorted { $0.name ?? "" < $1.name ?? "" }
    }
    var benchNames: [String] { (bench?.array as? [Player])?.compactMap(\.name) ?? [] }
}

@objc(Player) public class Player: NSManagedObject {
    @nonobjc public class func fetchRequest() -> NSFetchRequest<Player> {
        return NSFetchRequest<Player>(entityName: "Player")
    }
    @NSManaged public var name: String?
    @NSManaged public var leads: Team?
    @NSManaged public var coaches: NSSet?
    @NSManaged public var team: Team?
    @NSManaged public var fanOf: Set<Team>
    @NSManaged public var guestOf: NSSet?
    @NSManaged public var inLineup: Team?
    @NSManaged public var onBench: Team?
}

// MARK: Generated accessors for players
extension Team {

    @objc(addPlayersObject:)
    @NSManaged public func addToPlayers(_ value: Player)

    @objc(removePlayersObject:)
    @NSManaged public func removeFromPlayers(_ value: Player)

    @objc(addPlayers:)
    @NSManaged public func addToPlayers(_ values: Set<Player>)

    @objc(removePlayers:)
    @NSManaged public func removeFromPlayers(_ values: Set<Player>)

}

// MARK: Spelled in other ways
extension Team {
    @NSManaged func addFansObject(_ value: Player)
    @NSManaged func removeFansObject(_ value: Player)
    @NSManaged func addFans(_ values: Set<Player>)
    @NSManaged func removeFans(_ values: NSSet)
    @objc(addGuestsObject:) @NSManaged func welcome(_ guest: Player)
    @objc(removeGuestsObject:) @NSManaged func seeOff(guest: Player)
    @objc(addGuests:) @NSManaged fileprivate func welcomeAll(_ guests: NSSet)
}

// MARK: Generated accessors for lineup
extension Team {

    @objc(insertObject:inLineupAtIndex:)
    @NSManaged public func insertIntoLineup(_ value: Player, at idx: Int)

    @objc(removeObjectFromLineupAtIndex:)
    @NSManaged public func removeFromLineup(at idx: Int)

    @objc(insertLineup:atIndexes:)
    @NSManaged public func insertIntoLineup(_ values: [Player], at indexes: NSIndexSet)

    @objc(removeLineupAtIndexes:)
    @NSManaged public func removeFromLineup(at indexes: NSIndexSet)

    @objc(replaceObjectInLineupAtIndex:withObject:)
    @NSManaged public func replaceLineup(at idx: Int, with value: Player)

    @objc(replaceLineupAtIndexes:withLineup:)
    @NSManaged public func replaceLineup(at indexes: NSIndexSet, with values: [Player])

    @objc(addLineupObject:)
    @NSManaged public func addToLineup(_ value: Player)

    @objc(removeLineupObject:)
    @NSManaged public func removeFromLineup(_ value: Player)

    @objc(addLineup:)
    @NSManaged public func addToLineup(_ values: NSOrderedSet)

    @objc(removeLineup:)
    @NSManaged public func removeFromLineup(_ values: NSOrderedSet)

}

// MARK: As older versions of Swift had them
extension Team {
    @NSManaged func insertObject(_ value: Player, inBenchAtIndex idx: Int)
    @NSManaged func removeObjectFromBenchAtIndex(_ idx: Int)
    @NSManaged func insertBench(_ values: [Player], atIndexes indexes: IndexSet)
    @NSManaged func removeBenchAtIndexes(_ indexes: IndexSet)
    @NSManaged func replaceObjectInBenchAtIndex(_ idx: Int, withObject value: Player)
    @NSManaged func replaceBenchAtIndexes(_ indexes: NSIndexSet, withBench values: [Player])
}

private func teamEntities() -> [NSEntityDescription] {
    let team = entity("Team", [attribute("name", .stringAttributeType)])
    let player = entity("Player", [attribute("name", .stringAttributeType)])
    func pair(
        _ name: String, many: Bool, ordered: Bool = false, _ inverse: String, inverseMany: Bool
    ) {
        let there = SnippetModel.relationship(name, to: player, many: many, ordered: ordered)
        let back = SnippetModel.relationship(inverse, to: team, many: inverseMany)
        there.inverseRelationship = back
        back.inverseRelationship = there
        team.properties.append(there)
        player.properties.append(back)
    }
    pair("captain", many: false, "leads", inverseMany: false)
    pair("coach", many: false, "coaches", inverseMany: true)
    pair("players", many: true, "team", inverseMany: false)
    pair("fans", many: true, "fanOf", inverseMany: true)
    pair("guests", many: true, "guestOf", inverseMany: true)
    pair("lineup", many: true, ordered: true, "inLineup", inverseMany: false)
    pair("bench", many: true, ordered: true, "onBench", inverseMany: false)
    return [team, player]
}

func checkRelationships() {
    let context = stack(teamEntities())
    let team = Team(context: context)
    let (a, b, c) = (player("a", context), player("b", context), player("c", context))
    expect("a to-one that is nil", team.captain, nil)
    team.captain = a
    expect("its inverse that is to-one", a.leads, team)
    team.coach = b
    expect("a to-one that is not optional", team.coach.coaches as? Set<Team>, [team])
    expect("a set that is empty", team.players, [])
    team.players = [b]
    team.players.insert(a)
    expect("a typed set", team.sortedPlayers, [a, b])
    team.players.remove(a)
    expect("a member that was removed", a.team, nil)
    team.fans = [c]
    team.fans?.insert(a)
    expect("an optional typed set", a.fanOf, [team])
    team.fans = nil
    expect("a set that was set to nil", c.fanOf.isEmpty, true)
    team.guests = NSSet(array: [c, b])
    expect("an NSSet as an array", team.guestArray, [b, c])
    team.lineup = NSOrderedSet(array: [c, a])
    expect("an NSOrderedSet as an array", team.lineupArray, [c, a])
    team.mutableOrderedSetValue(forKey: #keyPath(Team.bench)).add(b)
    expect("an optional NSOrderedSet", team.benchNames, ["b"])
    expect("a computed array of names", team.sortedPlayers.compactMap(\.name), ["b"])
    checkSets(team, a, b, c)
    checkOrdered(team, a, b, c)
    checkOldSpellings(team, a, b, c)
    expect("a request of its own", try? context.count(for: Player.fetchRequest()), 3)
}

private func player(_ name: String, _ context: NSManagedObjectContext) -> Player {
    let player = Player(context: context)
    player.name = name
    return player
}

private func checkSets(_ team: Team, _ a: Player, _ b: Player, _ c: Player) {
    team.players = []
    team.addToPlayers(a)
    team.addToPlayers(Set([b, c]))
    expect("addTo with a typed set", team.sortedPlayers, [a, b, c])
    team.removeFromPlayers(b)
    team.removeFromPlayers([a])
    expect("removeFrom with a typed set", team.sortedPlayers, [c])
    let view = team.mutableSetValue(forKey: "players") as? Set<Player>
    expect("a live view as a typed set", view, [c])
    team.addFansObject(a)
    team.addFans([b, c])
    expect("addX with a typed set", team.fans?.count, 3)
    team.removeFansObject(a)
    team.removeFans(NSSet(object: b))
    expect("removeX with a set", team.fans, [c])
    team.guests = NSSet()
    team.welcome(a)
    team.welcomeAll(NSSet(array: [b, c]))
    expect("names for Objective-C alone tell", team.guestArray, [a, b, c])
    team.seeOff(guest: b)
    expect("with a label", team.guestArray, [a, c])
}

private func checkOrdered(_ team: Team, _ a: Player, _ b: Player, _ c: Player) {
    team.lineup = []
    team.addToLineup(a)
    team.insertIntoLineup(b, at: 0)
    expect("insertInto and addTo of Xcode", team.lineupArray, [b, a])
    team.insertIntoLineup([c], at: NSIndexSet(index: 1))
    expect("insertInto with indexes", team.lineupArray, [b, c, a])
    team.removeFromLineup(at: 0)
    team.removeFromLineup(at: NSIndexSet(index: 1))
    expect("removeFrom with indexes", team.lineupArray, [c])
    team.replaceLineup(at: 0, with: a)
    team.replaceLineup(at: NSIndexSet(index: 0), with: [b])
    expect("replace with indexes", team.lineupArray, [b])
    team.addToLineup(NSOrderedSet(array: [a, c]))
    team.removeFromLineup(b)
    team.removeFromLineup(NSOrderedSet(object: c))
    expect("removeFrom with an ordered set", team.lineupArray, [a])
}

private func checkOldSpellings(_ team: Team, _ a: Player, _ b: Player, _ c: Player) {
    team.bench = nil
    team.insertObject(a, inBenchAtIndex: 0)
    team.insertBench([b, c], atIndexes: IndexSet(integersIn: 0...1))
    expect("insertObject, insertX", team.benchNames, ["b", "c", "a"])
    team.removeObjectFromBenchAtIndex(0)
    team.removeBenchAtIndexes(IndexSet(integer: 1))
    expect("removeObjectFrom, removeXAtIndexes", team.benchNames, ["c"])
    team.replaceObjectInBenchAtIndex(0, withObject: a)
    expect("replaceObjectIn", team.benchNames, ["a"])
    team.replaceBenchAtIndexes(NSIndexSet(index: 0), withBench: [b])
    expect("replaceXAtIndexes", team.benchNames, ["b"])
}
