import CoreDataModel
import CoreDataPredicate
import CoreDataSQLite
import CoreDataTrace
import TestSupport
import Testing

@testable import CoreDataEngine
@testable import CoreDataStore

/// R-tree indexes and partial indexes.
///
/// Source: semantics.md §7.6.
@Suite struct IndexKindTests {
    private let fixture: MigrationFixture

    init() throws { fixture = try MigrationFixture() }

    private func model(
        _ kind: NSFetchIndexElementType, _ condition: String? = nil
    ) throws -> NSManagedObjectModel {
        let names = ["lat", "lon"]
        let attributes = names.map { GraphModels.attribute($0, .doubleAttributeType) }
        let place = GraphModels.entity("Place", attributes + [GraphModels.text("name")])
        let index = NSFetchIndexDescription(
            name: "where",
            elements: attributes.map {
                NSFetchIndexElementDescription(property: $0, collationType: kind)
            })
        index.partialIndexPredicate = condition.map { NSPredicate(format: $0) }
        place.indexes = [index]
        return GraphModels.model([place])
    }

    private let box = """
        SELECT ZNAME FROM ZPLACE JOIN Z_RT_Place_where USING (Z_PK)
        WHERE ZLAT_MIN >= 40 AND ZLAT_MAX <= 50 ORDER BY 1
        """

    @Test func `an R-tree follows the rows of its entity`() throws {
        try fixture.use(try model(.rTree)) { context in
            let rome = make("Place", context, ["name": "Rome", "lat": 41.9, "lon": 12.5])
            make("Place", context, ["name": "nowhere"])
            let bern = make("Place", context, ["name": "Bern", "lat": 46.9, "lon": 7.4])
            try context.save()
            #expect(throws: Never.self) {
                let found = try fixture.sql(box)
                #expect(found == ["Bern", "Rome"])
            }
            rome.setValue(60.0, forKey: "lat")
            context.delete(bern)
            try context.save()
        }
        #expect(try fixture.sql(box) == [])
        #expect(try fixture.sql("SELECT count(*) FROM Z_RT_Place_where") == ["1"])
    }

    @Test func `the R-tree that indexed:by: names finds the places in a box`() throws {
        try fixture.use(try model(.rTree)) { context in
            for number in 0..<50 {
                make(
                    "Place", context,
                    ["name": "p\(number)", "lat": Double(number) + 0.1, "lon": Double(number)])
            }
            try context.save()
            let log = StatementLog()
            context.persistentStoreCoordinator?.trace.add(log)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Place")
            request.predicate = NSPredicate(
                format: "indexed:by:(lat, 'where') BETWEEN {3.1, 6.1}"
                    + " AND indexed:by:(lon, 'where') BETWEEN {4, 9}")
            let found = try context.fetch(request).compactMap {
                $0.value(forKey: "name") as? String
            }
            #expect(found.sorted() == ["p4", "p5", "p6"])
            let text = try #require(log.texts.last)
            #expect(
                text.contains(
                    "((t0.ZLAT Between ? AND ?) AND t0.Z_PK IN (SELECT Z_PK FROM Z_RT_Place_where"
                        + " WHERE ZLAT_MIN <= ? AND ZLAT_MAX >= ?))"))
            // A fetch finds the same rows without the R-tree, and with an unknown index name.
            for format in ["lat BETWEEN {3.1, 6.1}", "indexed:by:(lat, 'x') BETWEEN {3.1, 6.1}"] {
                request.predicate = NSPredicate(format: format)
                #expect(try context.count(for: request) == 4)
            }
        }
    }

    @Test func `a migration creates, fills and removes an R-tree`() throws {
        let plain = try model(.binary)
        let changed = try model(.rTree)
        changed.entitiesByName["Place"]?.versionHashModifier = "2"
        let back = try model(.binary)
        back.entitiesByName["Place"]?.versionHashModifier = "3"
        try fixture.use(plain) { context in
            make("Place", context, ["name": "Rome", "lat": 41.9, "lon": 12.5])
        }
        try fixture.use(changed) { _ in }
        #expect(try fixture.sql(box) == ["Rome"])
        try fixture.use(back) { context in make("Place", context, ["name": "x", "lat": 1.0]) }
        #expect(
            try fixture.sql("SELECT count(*) FROM sqlite_master WHERE name GLOB 'Z_RT_*'") == ["0"])
    }

    @Test(arguments: [
        ("name = nil OR lat > 3", "(ZNAME IS NULL) OR (ZLAT > 3)"),
        ("NOT (name = 'it''s' AND lon != nil)", nil),
        ("name = \"it's\"", "ZNAME = 'it''s'"), ("name BEGINSWITH 'x'", nil),
    ])
    func `a partial index has the rows of its predicate`(format: String, sql: String?) throws {
        guard let predicate = try? NSPredicate.parse(format) else { return }
        let place = try model(.binary)
        try place.freeze()
        let text = IndexCondition(try #require(place.layout.entity(named: "Place")))
            .text(of: predicate)
        #expect(text == sql || (sql == nil && text?.hasPrefix("NOT (") == true))
        try fixture.use(try model(.binary, format)) { context in
            make("Place", context, ["name": "a", "lat": 4.0])
        }
        let made = try fixture.sql(
            "SELECT sql FROM sqlite_master WHERE name = 'Z_Place_where'")
        #expect(made[0].hasSuffix(text.map { " WHERE \($0)" } ?? ")"))
    }

    @Test func `two indexes with one name are one, and a to-many relationship is skipped`() throws {
        let model = try model(.binary)
        let place = try #require(model.entitiesByName["Place"])
        GraphModels.relate(
            .init(owner: place, name: "parts", toMany: true), .init(owner: place, name: "whole"))
        let parts = try #require(place.relationshipsByName["parts"])
        let name = try #require(place.attributesByName["name"])
        place.indexes += [[parts, name], [name]].map { members in
            NSFetchIndexDescription(
                name: "twice",
                elements: members.map {
                    NSFetchIndexElementDescription(property: $0, collationType: .binary)
                })
        }
        try fixture.use(model) { context in make("Place", context) }
        #expect(
            try fixture.sql("SELECT count(*) FROM sqlite_master WHERE name = 'Z_Place_twice'")
                == ["1"])
    }

    @Test(arguments: [
        ("lat + 1", "(ZLAT + 1)"), ("lat * lon - 2", "((ZLAT * ZLON) - 2)"), ("name", "ZNAME"),
        ("abs(lat)", "abs(ZLAT)"), ("~(number & 3)", "(~(ZNUMBER & 3))"), ("SELF", "Z_PK"),
        ("length(name)", "length(ZNAME)"), ("lowercase(name)", nil), ("other.name", nil),
        ("now()", nil),
    ])
    func `D-067: an index contains only values that SQLite can compute`(
        format: String, sql: String?
    ) throws {
        let names = ["lat", "lon"]
        let attributes = names.map { GraphModels.attribute($0, .doubleAttributeType) }
        let place = GraphModels.entity(
            "Place", attributes + [GraphModels.text("name"), GraphModels.number("number")])
        GraphModels.relate(.init(owner: place, name: "other"), .init(owner: place, name: "back"))
        let computed = NSExpressionDescription()
        computed.name = "computed"
        computed.expression = try NSExpression.parse(format)
        place.indexes = [
            NSFetchIndexDescription(
                name: "by it's \"all\"",
                elements: [
                    NSFetchIndexElementDescription(property: computed, collationType: .binary)
                ])
        ]
        try fixture.use(GraphModels.model([place])) { context in
            make("Place", context, ["name": "a", "lat": 4.0])
        }
        let made = try fixture.sql(
            "SELECT sql FROM sqlite_master WHERE name = 'Z_Place_by it''s \"all\"'")
        #expect(made.count == (sql == nil ? 0 : 1))
        if let sql {
            let column = sql.hasPrefix("Z") && !sql.hasPrefix("Z_PK") ? sql : "(\(sql))"
            #expect(made.first?.hasSuffix("(\(column) COLLATE BINARY ASC)") == true)
        }
        #expect(try fixture.sql("PRAGMA integrity_check") == ["ok"])
    }

    @Test func `a transient attribute may hold an object id`() throws {
        let link = GraphModels.attribute("link", .objectIDAttributeType)
        link.isTransient = true
        let model = GraphModels.model([
            GraphModels.entity("Place", [link, GraphModels.text("name")])
        ])
        try fixture.use(model) { context in
            let first = make("Place", context, ["name": "a"])
            let second = make("Place", context, ["name": "b", "link": first.objectID])
            try context.save()
            #expect(second.value(forKey: "link") is NSManagedObjectID)
        }
        let stored = GraphModels.model([
            GraphModels.entity("Place", [GraphModels.attribute("link", .objectIDAttributeType)])
        ])
        let error = #expect(throws: ModelError.self) { try stored.checkUsable() }
        #expect(error?.findings.first?.description.contains("must be transient") == true)
    }
}
