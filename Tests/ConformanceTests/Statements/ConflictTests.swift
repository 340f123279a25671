import CoreData
import Testing

/// Conflicts, merge policies and uniqueness constraints.
@Suite struct ConflictTests {
    private func mergeConflict(_ error: NSError?) -> NSMergeConflict? {
        (error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.first
    }

    // Proves S3.2-5, S3.2-6
    @Test func `snapshots have attributes and to-one ids, and the description shows them`() throws {
        let office = try Office()
        let id = try office.work { context in
            let person = context.person("Ada")
            person.team = context.new("Team", "core")
            try context.save()
            return person.objectID
        }
        try office.work { context in
            let person = try context.known(id)
            let team = try #require(person.team)
            person.name = "mine"
            try office.change(id, "name", "theirs")
            let conflict = try #require(mergeConflict(context.saveError()))
            let snapshot = try #require(conflict.objectSnapshot)
            #expect(snapshot["name"] as? String == "Ada")
            #expect(snapshot["team"] as? NSManagedObjectID == team.objectID)
            #expect(snapshot["boss"] is NSNull)
            #expect(snapshot["reports"] == nil && snapshot["tags"] == nil)
            let text = conflict.description
            #expect(text.hasPrefix("NSMergeConflict"))
            #expect(text.contains(id.uriRepresentation().absoluteString))
            #expect(text.contains("with oldVersion = 1 and newVersion = 2"))
            #expect(text.contains("and old object snapshot = "))
            #expect(text.contains("and new cached row = "))
        }
    }

    // Proves S3.3-3, S3.7-16
    @Test func `conflicts have their codes`() {
        #expect(NSPersistentStoreSaveConflictsError == 134_050)
        #expect(NSMigrationConstraintViolationError == 134_111)
        #expect(NSManagedObjectConstraintValidationError == 1551)
    }

    // Proves S3.5-6
    @Test func `policies include cascades that conflict with another stack`() throws {
        for wins in [false, true] {
            let office = try Office()
            let boss = try office.work { context in
                let boss = context.person("boss")
                context.person("report").boss = boss
                try context.save()
                return boss.objectID
            }
            let context = office.context(wins ? .mergeByPropertyObjectTrump : .error)
            let other = try office.twin().newBackgroundContext()
            try context.on {
                let known = try context.known(boss)
                #expect(known.reports.first?.name == "report")
                try other.on {
                    try other.people("name == 'report'")[0].setValue(1, forKey: "age")
                    try other.save()
                }
                context.delete(known)
                #expect(context.saveError()?.code == (wins ? nil : 133_020))
            }
            let left = try other.on {
                other.reset()
                return try other.people().count
            }
            #expect(left == (wins ? 0 : 2))
        }
    }

    /// Records its calls.
    ///
    /// `@unchecked Sendable` because only the thread of the test uses it.
    private final class Recording: NSMergePolicy, @unchecked Sendable {
        var calls: [String] = []

        override func resolve(mergeConflicts list: [Any]) throws {
            calls.append("all \(list.count)")
            try super.resolve(mergeConflicts: list)
        }
        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            calls.append("locking \(list.count)")
            try super.resolve(optimisticLockingConflicts: list)
        }
        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
            calls.append("constraints \(list.count)")
            try super.resolve(constraintConflicts: list)
        }
    }

    private func countries() -> NSManagedObjectModel {
        let country = Company.plain(
            "Country",
            [attribute("name", .stringAttributeType), attribute("code", .stringAttributeType)])
        country.uniquenessConstraints = [["code"]]
        return model(country)
    }

    // Proves S3.6-1, S3.7-9
    @Test func `locking conflicts are resolved before constraints`() throws {
        let office = try Office(countries())
        let id = try office.work { context in
            let country = context.new("Country", "Germany")
            country.setValue("DE", forKey: "code")
            context.new("Country", "France").setValue("FR", forKey: "code")
            try context.save()
            return country.objectID
        }
        let policy = Recording(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        try office.work(policy) { context in
            let country = try context.existingObject(with: id)
            country.setValue("mine", forKey: "name")
            context.new("Country", "new").setValue("FR", forKey: "code")
            try office.change(id, "name", "theirs")
            try context.save()
            let kinds = policy.calls.filter { !$0.hasPrefix("all") }
            #expect(kinds.first == "locking 1" && kinds.contains("constraints 1"))
            #expect(kinds.lastIndex(of: "locking 1") ?? 9 < kinds.firstIndex(of: "constraints 1")!)
            #expect(country.value(forKey: "name") as? String == "mine")
        }
    }

    // Proves S3.6-3
    @Test func `the policy property has the type Any`() throws {
        let context = try Office().context()
        let policy: Any = NSOverwriteMergePolicy
        context.mergePolicy = policy
        #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .overwriteMergePolicyType)
    }

    // Proves S3.6-4
    @Test func `contexts and containers have the error policy by default`() throws {
        let office = try Office()
        for context in [
            NSManagedObjectContext(.privateQueue), office.container.viewContext,
            office.container.newBackgroundContext(),
        ] {
            #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType)
        }
    }

    // Proves S3.6-5
    @Test func `a child's save does not call a policy`() throws {
        let office = try Office()
        let id = try office.hire("Ada")
        let policy = Recording(merge: .errorMergePolicyType)
        try office.work { parent in
            let person = try parent.known(id)
            let child = parent.child()
            child.mergePolicy = policy
            try child.on {
                try child.known(id).name = "child"
                person.name = "parent"
                try child.save()
            }
            #expect(person.name == "child" && policy.calls.isEmpty)
        }
    }

    // Proves S3.7-1
    @Test func `constraints accept names and descriptions and return names`() {
        let name = attribute("name", .stringAttributeType)
        let entity = Company.plain("Thing", [name, attribute("code", .stringAttributeType)])
        entity.uniquenessConstraints = [["code", name], [name]]
        #expect(entity.uniquenessConstraints as? [[String]] == [["code", "name"], ["name"]])
    }

    // Proves S3.7-5
    @Test func `a to-one relationship may be part of a constraint`() throws {
        let chat = Company.plain("Chat", [attribute("name", .stringAttributeType)])
        let receipt = Company.plain("Receipt", [attribute("name", .stringAttributeType)])
        relate(
            End(owner: chat, name: "receipts", toMany: true), End(owner: receipt, name: "chat"))
        receipt.uniquenessConstraints = [["name", "chat"]]
        let office = try Office(model(chat, receipt))
        try office.work { context in
            let chats = ["a", "b"].map { context.new("Chat", $0) }
            for chat in chats { context.new("Receipt", "r").setValue(chat, forKey: "chat") }
            try context.save()
            context.new("Receipt", "r").setValue(chats[0], forKey: "chat")
            #expect(context.saveError()?.code == 133_021)
        }
    }

    // Proves S3.7-8, S3.7-11
    @Test func `each violated constraint is reported once, with a text`() throws {
        let country = Company.plain(
            "Country",
            [attribute("name", .stringAttributeType), attribute("code", .stringAttributeType)])
        country.uniquenessConstraints = [["code"], ["name"]]
        let office = try Office(model(country))
        try office.work { context in
            for _ in 0..<2 { context.new("Country", "n").setValue("c", forKey: "code") }
            let error = try #require(context.saveError())
            let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey]
            let conflicts = try #require(list as? [NSConstraintConflict])
            #expect(Set(conflicts.map(\.constraint)) == [["code"], ["name"]])
            #expect(conflicts.count == 2)
            for conflict in conflicts {
                let text = conflict.description
                #expect(text.hasPrefix("NSConstraintConflict"))
                #expect(text.contains("for constraint (\n    \(conflict.constraint[0])\n)"))
                #expect(text.contains("database: (null)") && text.contains("conflictedObjects: ("))
            }
        }
    }
}
