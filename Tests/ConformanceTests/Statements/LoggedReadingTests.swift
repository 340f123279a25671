import CoreData
import XCTest

/// The SQL of fetches and faults, as the log shows it.
final class LoggedReadingTests: LabsTestCase {
    private func seeded() throws -> NSManagedObjectContext {
        let context = container(Company.makeModel()).viewContext
        for (index, name) in ["core", "lab"].enumerated() {
            let team = context.new("Team", name)
            for number in 0..<3 {
                let person = context.person("\(index).\(number)")
                person.team = team
                person.setValue(NSSet(object: context.new("Tag", "t")), forKey: "tags")
            }
        }
        try context.save()
        context.reset()
        return context
    }

    private func teams(
        _ context: NSManagedObjectContext, _ paths: [String]? = nil
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
        request.relationshipKeyPathsForPrefetching = paths
        return try context.fetch(request)
    }

    // Proves S2.9-1, S2.9-2, S2.9-3, S2.9-5
    func testPrefetchingIsOneSelectForEachLevelAndSaysHowManyRowsCame() throws {
        let context = try seeded()
        var found: [NSManagedObject] = []
        let lines = try log.lines { found = try teams(context, ["members"]) }
        let selects = lines.filter { $0.hasPrefix("CoreData: sql: SELECT") }
        XCTAssertEqual(selects.count, 2)
        XCTAssertTrue(selects[0].contains(" FROM ZTEAM t0"))
        XCTAssertTrue(selects[1].contains("ZPERSON t0") && selects[1].contains("ZTEAM"))
        XCTAssertTrue(
            lines.contains(
                "CoreData: annotation: Prefetching with key 'members'.  Got 6 rows."))
        let counts = log.selects {
            for team in found {
                XCTAssertEqual((team.value(forKey: "members") as? NSSet)?.count, 3)
            }
        }
        XCTAssertEqual(counts, [])
    }

    // Proves S2.10-2
    func testAManyToManyFaultReadsThroughTheJoinTable() throws {
        let context = try seeded()
        let person = try context.people("name == '0.0'")[0]
        _ = person.name
        let uri = person.objectID.uriRepresentation().absoluteString
        let lines = log.lines {
            XCTAssertEqual((person.value(forKey: "tags") as? NSSet)?.count, 1)
        }
        let selects = lines.filter { $0.hasPrefix("CoreData: sql: SELECT") }
        XCTAssertEqual(selects.count, 1)
        XCTAssertTrue(selects[0].contains(" JOIN ZTAG t0 ON t0.Z_PK = t1."))
        XCTAssertTrue(
            lines.contains {
                $0.contains("to-many relationship fault \"tags\" for objectID 0x")
                    && $0.hasSuffix("<\(uri)> fulfilled from database.  Got 1 rows")
            }, "\(lines)")
    }

    // Proves S2.11-1
    func testCountingIsASelectCount() throws {
        let context = try seeded()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Team")
        XCTAssertEqual(
            try log.selects { XCTAssertEqual(try context.count(for: request), 2) },
            ["SELECT COUNT(*) FROM ZTEAM t0"])
        request.predicate = NSPredicate(format: "ANY members.name BEGINSWITH '0.'")
        let joined = try log.selects { XCTAssertEqual(try context.count(for: request), 1) }
        XCTAssertEqual(joined.count, 1)
        XCTAssertTrue(joined[0].hasPrefix("SELECT COUNT( DISTINCT t0.Z_PK) FROM"), joined[0])
    }

    // Proves S2.5-7
    func testLimitAndOffsetAreInTheStatement() throws {
        let context = try seeded()
        var found: [Person] = []
        let sql = try log.selects {
            found = try context.people {
                $0.fetchLimit = 2
                $0.fetchOffset = 3
            }
        }
        XCTAssertEqual(found.map(\.name), ["1.0", "1.1"])
        XCTAssertEqual(sql.count, 1)
        XCTAssertTrue(sql[0].contains(" LIMIT ") && sql[0].contains(" OFFSET "), sql[0])
    }

    // Proves S2.2-4
    func testReadingOneObjectLoadsThatObjectAlone() throws {
        let context = try seeded()
        let people = try context.people { $0.includesPropertyValues = false }
        XCTAssertEqual(log.selects { XCTAssertEqual(people[0].name, "0.0") }.count, 1)
        XCTAssertEqual(people.filter(\.isFault).count, 5)
        XCTAssertEqual(log.selects { XCTAssertEqual(people[1].name, "0.1") }.count, 1)
    }

    // Proves S2.2-5
    func testAFetchOfSelfInLoadsManyObjectsAtOnce() throws {
        let context = try seeded()
        let people = try context.people { $0.includesPropertyValues = false }
        let request = NSFetchRequest<Person>(entityName: "Person")
        request.predicate = NSPredicate(format: "self IN %@", people)
        request.returnsObjectsAsFaults = false
        XCTAssertEqual(try log.selects { _ = try context.fetch(request) }.count, 1)
        XCTAssertFalse(people.contains(where: \.isFault))
        XCTAssertEqual(log.selects { for person in people { _ = person.name } }, [])
    }

    // Proves S2.2-1
    func testEveryWayToAValueFiresTheFault() throws {
        let context = try seeded()
        let ways: [(String, (Person) -> Void)] = [
            ("reading", { _ = $0.name }), ("writing", { $0.name = "x" }),
            ("key-value coding", { _ = $0.value(forKey: "age") }),
            ("a proxy", { _ = $0.mutableSetValue(forKey: "tags").count }),
            ("willAccessValue", { $0.willAccessValue(forKey: "name") }),
        ]
        for (name, way) in ways {
            let person = try context.people()[0]
            context.refresh(person, mergeChanges: false)
            XCTAssertTrue(person.isFault, name)
            way(person)
            XCTAssertFalse(person.isFault, name)
            context.rollback()
        }
    }

    // Proves S2.2-3
    func testObjectIDsOfARelationshipLoadTheOwner() throws {
        let context = try seeded()
        let person = try context.people()[0]
        XCTAssertTrue(person.isFault)
        XCTAssertEqual(person.objectIDs(forRelationshipNamed: "tags").count, 1)
        XCTAssertFalse(person.isFault)
    }

    // D-033 The second context reads the ids of the to-many relationship from the store again.
    // Proves S2.3-1
    func testACachedRowHasAttributesAndToOneIDs() throws {
        let context = try seeded()
        let people = try context.people()
        let second = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        second.persistentStoreCoordinator = context.persistentStoreCoordinator
        let sql = log.selects {
            let twin = second.object(with: people[0].objectID) as? Person
            XCTAssertEqual(twin?.name, "0.0")
            XCTAssertEqual(twin?.team?.objectID, people[0].team?.objectID)
        }
        XCTAssertEqual(sql, [])
        XCTAssertEqual((people[0].value(forKey: "tags") as? NSSet)?.count, 1)
        XCTAssertEqual(
            log.selects {
                let twin = second.object(with: people[0].objectID)
                XCTAssertEqual((twin.value(forKey: "tags") as? NSSet)?.count, 1)
            }.count, 1)
    }

    // Proves S3.1-3
    func testInsertedObjectsAreNotCompared() throws {
        let context = try seeded()
        _ = context.person("new")
        let sql = try log.statements { try context.save() }
        XCTAssertFalse(sql.contains { $0.hasPrefix("UPDATE ZPERSON") })
        XCTAssertFalse(sql.contains { $0.contains("Z_OPT = ?  WHERE") })
        XCTAssertEqual(sql.filter { $0.hasPrefix("INSERT INTO ZPERSON") }.count, 1)
    }

    // Proves S6-6
    func testRollbackRestoresCommittedValuesWithoutReading() throws {
        let context = try seeded()
        let person = try context.people()[0]
        XCTAssertEqual(person.name, "0.0")
        person.name = "changed"
        XCTAssertEqual(
            log.selects {
                context.rollback()
                XCTAssertEqual(person.name, "0.0")
            }, [])
        XCTAssertFalse(person.isFault)
    }

    // Proves S4.1-2
    func testAChildAsksItsParentAndFillsIt() throws {
        let parent = try seeded()
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = parent
        let known = try parent.people()[0]
        known.name = "unsaved"
        let sql = log.selects {
            let mine = child.object(with: known.objectID) as? Person
            XCTAssertEqual(mine?.name, "unsaved")
        }
        XCTAssertEqual(sql, [])
    }

    func testWhatAChildFetchedCostsNoFurtherStatement() throws {
        let parent = try seeded()
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = parent
        var people: [Person] = []
        XCTAssertEqual(try log.selects { people = try child.people() }.count, 1)
        XCTAssertEqual(people.filter(\.isFault).count, 6)
        let sql = log.selects { XCTAssertEqual(people.compactMap(\.name).count, 6) }
        XCTAssertEqual(sql, [])
    }

    // D-003 Dictionaries are read immediately, whether or not they include the object's id.
    func testDictionariesAreReadAtOnce() throws {
        let context = try seeded()
        let id = NSExpressionDescription()
        id.name = "objectID"
        id.expression = NSExpression.expressionForEvaluatedObject()
        id.expressionResultType = .objectIDAttributeType
        for properties in [["name"], ["name", id]] as [[Any]] {
            let request = NSFetchRequest<NSDictionary>(entityName: "Person")
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = properties
            request.fetchBatchSize = 2
            let sql = try log.selects {
                let found = try context.fetch(request)
                XCTAssertEqual(found.compactMap { $0["name"] as? String }.count, 6)
            }
            XCTAssertEqual(sql.count, 1)
        }
    }

    // Proves S1.7-9
    func testAOneToManyChangeWritesTheManySide() throws {
        let context = try seeded()
        let person = try context.people()[0]
        let others = try teams(context).filter { $0 !== person.team }
        person.team = others[0]
        let sql = try log.statements { try context.save() }
        XCTAssertEqual(sql.filter { $0.hasPrefix("UPDATE ZPERSON SET ZTEAM = ?") }.count, 1)
    }
}
