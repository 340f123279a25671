import CoreData
import CoreDataEngine
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// The targets that read predicates, expressions, sort keys and key paths as text.
enum PredicateTargets {
    static let all: [FuzzTargets.Entry] = [
        FuzzTargets.Entry("predicates", floor: 1_250, most: 1_500_000) { name in
            FuzzTarget(name, source, run: { predicate($0) })
        },
        FuzzTargets.Entry("expressions", floor: 1_250, most: 1_000_000) { name in
            FuzzTarget(name, expressionSource, run: { expression($0) })
        },
        FuzzTargets.Entry("predicates-in-sql", floor: 250, most: 200_000) { name in
            let (coordinator, _) = try FuzzLibrary.open(
                try FuzzLibrary.image(tracksHistory: false), tracksHistory: false)
            return FuzzTarget(name, source) { sql($0, coordinator) }
        },
        FuzzTargets.Entry("fetch-keys", floor: 250, most: 200_000) { name in
            let (coordinator, _) = try FuzzLibrary.open(
                try FuzzLibrary.image(tracksHistory: false), tracksHistory: false)
            return FuzzTarget(name, keySource) { keys($0, coordinator) }
        },
    ]

    // MARK: Parts of inputs

    private static let words = [
        " == ", " != ", " <= ", " > ", " AND ", " OR ", " NOT ", "!", "&&", "||", " BETWEEN {1, 5}",
        " IN {1, 2}", " IN %@", " CONTAINS[cd] ", " BEGINSWITH ", " ENDSWITH[n] ",
        " LIKE[c] '*a?' ",
        " MATCHES '(a|b)+' ", "ANY ", "ALL ", "NONE ", "SOME ",
        "SUBQUERY(tags, $t, $t.name == 'a')",
        ".@count", ".@sum.small", ".@avg.ratio", ".@max.small", "@distinctUnionOfObjects.name",
        "SELF",
        "%@", "%K", "%d", "%f", "%%", "$v", "TRUEPREDICATE", "FALSEPREDICATE", "nil", "NULL", "YES",
        "CAST(0, 'NSDate')", "CAST('1', 'NSDecimalNumber')", "FUNCTION(small, 'abs:')", "now()",
        "sum:({1, 2})", "TERNARY(small > 1, 2, 3)", "name", "small", "owner", "owner.name", "tags",
        "tags.name", "items[FIRST]", "[LAST]", "[SIZE]", "[0]", "bytes", "added", "mark", "price",
        "link", "(", ")", "{", "}", ",", "+", "-", "*", "/", "**", ":=", " UNION ", " INTERSECT ",
        " MINUS ", "#size", "@\"x\"", "'text'", "\"text\"", "\\u0041", "0x1F", "1.5e3",
        "uppercase:('a')",
        "distanceToLocation:fromLocation:(a, b)", "bitwiseAnd:with:(small, 1)",
        "modulus:by:(small, 0)",
        "noindex:(name)", "length:(name)", "fetch(", "objectID", "entity", "self",
        "lowercase:(name)",
        "castObject:toType:('1', 'NSNumber')", "median:({1})", "random()", "randomn:(3)",
        "trunc:(1.5)",
    ]

    private static let seeds = [
        "name == 'thing 1 é' AND small > 5", "ANY tags.name == 'red'",
        "owner.name BEGINSWITH[cd] 'a'",
        "SUBQUERY(tags, $t, $t.name IN {'red', 'old'}).@count > 0", "small BETWEEN {0, 10}",
        "NOT (isNew == YES OR price > 12.5)", "added < CAST(1000, 'NSDate')", "%K == %@",
        "name LIKE 'thing*' && ratio * 2 + 1 >= small ** 2", "ALL tags.small != nil", "$v == small",
        "name MATCHES '.*[0-9].*'", "tags.@count == 2", "TERNARY(small > 1, 'a', name) == 'a'",
        "SELF IN %@", "mark == %@ OR bytes == %@ OR link == %@", "owner == nil", "tags[SIZE] == 1",
        "small IN %@ AND name CONTAINS %@", "-small < -(3 - 4)", "abs:(small) == 1 OR small == %d",
        "{1, 2} CONTAINS small", "owner.items.@max.small > 1", "modulus:by:(small, 2) == 0",
    ]

    private static let source = TextSource(seeds, words: words)

    private static let expressionSource = TextSource(
        [
            "small + 1", "sum:({1, 2, 3})", "owner.name", "tags.@count", "TERNARY(small > 1, 2, 3)",
            "{1, 'a', nil}", "FUNCTION(name, 'uppercaseString')", "now()", "$v", "SELF",
            "SUBQUERY(tags, $t, $t.name == 'a')", "CAST(0, 'NSDate')", "-small ** 2 / 3",
            "tags[FIRST]", "average:(tags.small)", "%@", "a UNION {1}",
            "bitwiseXor:with:(small, 3)",
        ], words: words)

    private static let keySource = TextSource(
        [
            "name", "owner.name", "tags.name", "size", "self", "objectID", "owner.items.name",
            "@count", "tags.@count", "items", "bytes", "link", "price", "owner", "SELF", "",
        ],
        words: [
            ".", "..", "@", "@count", "@sum", "@max.size", "owner", "name", "tags", "items", "size",
            "depth", "Z_PK", "\"", "'", ";", "--", "self", "entity", "objectID", "owner.items",
        ])

    /// The arguments for `%@`: a fixed list, rotated by an amount that depends on the input. It has
    /// no dictionaries, and all of its keys are names, because predicate formats cannot express the
    /// others.
    private static func arguments(_ text: String) -> [Any?] {
        let palette: [Any?] = [
            "name", NSNumber(value: 5), "owner.name", NSNumber(value: 2.5), [1, 2, 3] as NSArray,
            nil, "thing", Date(timeIntervalSinceReferenceDate: 1_000), Data([1, 2]), NSNull(),
            UUID(uuidString: FuzzLibrary.identifier), NSNumber(value: Int64.min), "small",
            Foundation.URL(string: "https://example.org"), NSDecimalNumber(string: "12.5"),
            NSSet(array: ["red"]), NSNumber(value: Double.nan), text.contains("K") ? "é" : "é\0",
            NSExpression(forKeyPath: "small"),
            NSNumber(value: true),
        ]
        let start = text.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % palette.count
        return Array((palette + palette)[start..<start + palette.count])
    }

    // Safe: the objects never change, and their values are immutable.
    private nonisolated(unsafe) static let objects: [[String: Any]] = [
        [
            "name": "thing 1", "small": 5, "ratio": 1.5,
            "owner": ["name": "Ada", "items": [1, 2]],
            "tags": [["name": "red", "small": 1], ["name": "old", "small": 2]], "isNew": true,
            "added": Date(timeIntervalSinceReferenceDate: 5), "price": NSDecimalNumber(value: 3),
            "bytes": Data([1, 2, 3]), "items": [3, 4],
        ],
        ["name": NSNull(), "small": Int64.max, "tags": [Any](), "ratio": Double.nan],
        [:],
    ]

    private static let variables: [String: any Sendable] = ["v": 5, "t": "red"]

    // MARK: Running them

    private static func predicate(_ input: [UInt8]) -> FuzzVerdict {
        let text = String(decoding: input, as: UTF8.self)
        let predicate: NSPredicate
        do throws(PredicateFormatError) {
            predicate = try NSPredicate.parse(text, arguments(text))
        } catch {
            return refused(error)
        }
        for object in objects {
            _ = try? predicate.evaluateCore(with: object, variables: variables)
        }
        _ = try? predicate.withSubstitutionVariables(variables).evaluateCore(with: objects[0])
        return printed(
            predicate.predicateFormat,
            parse: { (text) throws(PredicateFormatError) in try NSPredicate.parse(text) },
            isEqual: { predicate.isEqual($0) && $0.hash == predicate.hash },
            text: \.predicateFormat)
    }

    private static func expression(_ input: [UInt8]) -> FuzzVerdict {
        let text = String(decoding: input, as: UTF8.self)
        let expression: NSExpression
        do throws(PredicateFormatError) {
            expression = try NSExpression.parse(text, arguments(text))
        } catch {
            return refused(error)
        }
        for object in objects { _ = try? expression.valueCore(with: object, variables: variables) }
        return printed(
            expression.description,
            parse: { (text) throws(PredicateFormatError) in try NSExpression.parse(text) },
            isEqual: { expression.isEqual($0) && $0.hash == expression.hash },
            text: \.description)
    }

    private static func refused(_ error: PredicateFormatError) -> FuzzVerdict {
        guard error.column >= 1, !error.problem.isEmpty, !error.advice.isEmpty else {
            return .broken("an error without position or remedy: \(error)")
        }
        return .refused
    }

    /// Checks that the printed form of a value is read as an equal value.
    private static func printed<Tree>(
        _ text: String, parse: (String) throws(PredicateFormatError) -> Tree,
        isEqual: (Tree) -> Bool, text again: (Tree) -> String
    ) -> FuzzVerdict {
        do throws(PredicateFormatError) {
            let tree = try parse(text)
            // Values may differ although their printed forms are equal. For example, a list
            // argument is read as a list of constants. Another example is NaN, which does not equal
            // itself.
            guard isEqual(tree) || again(tree) == text else {
                return .broken("'\(text)' is read differently: '\(again(tree))'")
            }
            return .accepted
        } catch {
            return .broken("the printed text cannot be read: \(error): '\(text)'")
        }
    }

    private static func sql(
        _ input: [UInt8], _ coordinator: NSPersistentStoreCoordinator
    ) -> FuzzVerdict {
        let text = String(decoding: input, as: UTF8.self)
        guard let predicate = try? NSPredicate.parse(text, arguments(text)) else { return .refused }
        // Predicates with random numbers have a different result in each evaluation, so their
        // results are not compared.
        let hasRandomNumber = predicate.predicateFormat.contains("random")
        let again =
            hasRandomNumber ? nil : try? NSPredicate.parse(predicate.predicateFormat)
        var options = FetchRequestOptions(entityName: "Item")
        options.predicate = predicate.withSubstitutionVariables(variables)
        return fetched(coordinator) { context throws(CoreDataError) in
            let keys = try self.keys(options, context)
            guard let again else { return nil }
            options.predicate = again.withSubstitutionVariables(variables)
            let others = try self.keys(options, context)
            return keys == others
                ? nil
                : "the predicate matches other rows after it was printed and read again "
                    + "(\(others.count) rows, before \(keys.count))"
        }
    }

    private static func keys(
        _ options: FetchRequestOptions, _ context: NSManagedObjectContext
    ) throws(CoreDataError) -> [Int64] {
        guard case .objects(let found) = try context.fetchResults(options) else { return [] }
        return found.map(\.objectKey.key).sorted()
    }

    private static func keys(
        _ input: [UInt8], _ coordinator: NSPersistentStoreCoordinator
    ) -> FuzzVerdict {
        let key = String(decoding: input, as: UTF8.self)
        var requests = [FetchRequestOptions](
            repeating: FetchRequestOptions(entityName: "Item"), count: 4)
        requests[0].sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        requests[1].relationshipKeyPathsForPrefetching = [key]
        requests[2].resultType = .dictionaryResultType
        requests[2].propertiesToFetch = [key]
        requests[3].resultType = .dictionaryResultType
        requests[3].propertiesToFetch = [key]
        requests[3].propertiesToGroupBy = [key]
        var verdicts: [FuzzVerdict] = []
        for request in requests {
            verdicts.append(
                fetched(coordinator) { context throws(CoreDataError) in
                    _ = try context.fetchResults(request)
                    return nil
                })
        }
        verdicts.append(
            fetched(coordinator) { context throws(CoreDataError) in
                let found = try context.fetchResults(FetchRequestOptions(entityName: "Item"))
                guard case .objects(let items) = found, let item = items.first else { return nil }
                _ = try item.readValue(forKey: key)
                return nil
            })
        return verdicts.contains(.accepted) ? .accepted : .refused
    }

    private static func fetched(
        _ coordinator: NSPersistentStoreCoordinator,
        _ body: (NSManagedObjectContext) throws(CoreDataError) -> String?
    ) -> FuzzVerdict {
        let context = NSManagedObjectContext(.privateQueue)
        do throws(CoreDataError) {
            try context.attach(to: coordinator)
            let wrong = try context.performAndWait { () throws(CoreDataError) in try body(context) }
            return wrong.map { .broken($0) } ?? .accepted
        } catch {
            return error.message.isEmpty ? .broken("an error without a message") : .refused
        }
    }
}
