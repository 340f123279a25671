import Testing

@testable import CoreDataPredicate

private final class Named: NSObject, KeyPathNaming {
    let title: String

    init(_ title: String) { self.title = title }

    static func keyName(of keyPath: AnyKeyPath) -> String? {
        keyPath == \Named.title ? "title" : nil
    }
}

@Suite struct NSSortDescriptorTests {
    private let rows: [[String: Any]] = [
        ["n": 3, "s": "b", "to": ["x": 1]], ["n": 1, "s": "C"], ["s": "a", "to": ["x": 3]],
        ["n": 1.0, "s": "item 10", "to": ["x": 2]], ["n": 2, "s": "item 9"],
    ]

    private func order(_ descriptors: NSSortDescriptor...) -> [String] {
        rows.sorted(using: descriptors).compactMap { $0["s"] as? String }
    }

    @Test func `nil comes first in ascending and last in descending order`() {
        let up = NSSortDescriptor(key: "n", ascending: true)
        #expect(order(up) == ["a", "C", "item 10", "item 9", "b"])
        #expect(
            order(NSSortDescriptor(key: "n", ascending: false)) == [
                "b", "item 9", "C", "item 10", "a",
            ])
        let reversed = up.reversedSortDescriptor as? NSSortDescriptor
        #expect(reversed == NSSortDescriptor(key: "n", ascending: false))
    }

    @Test func `a later descriptor orders equal values`() {
        let byName = NSSortDescriptor(key: "s", ascending: false)
        #expect(
            order(NSSortDescriptor(key: "n", ascending: true), byName)
                == ["a", "item 10", "C", "item 9", "b"])
    }

    @Test func `paths follow to-one relationships`() {
        #expect(
            order(NSSortDescriptor(key: "to.x", ascending: false))
                == ["a", "item 10", "b", "C", "item 9"])
    }

    @Test func `L31 strings are compared by the named selector`() {
        #expect(
            order(NSSortDescriptor(key: "s", ascending: true))
                == ["C", "a", "b", "item 10", "item 9"])
        #expect(
            order(NSSortDescriptor(key: "s", ascending: true, selector: "caseInsensitiveCompare:"))
                == ["a", "b", "C", "item 10", "item 9"])
        let standard = NSSortDescriptor(
            key: "s", ascending: true, selector: "localizedStandardCompare:")
        #expect(order(standard) == ["a", "b", "C", "item 9", "item 10"])
        #expect(standard.compare(["s": "item 9"], to: ["s": "item 10"]) == .orderedAscending)
    }

    @Test func `a comparator receives the values`() {
        let byLength = NSSortDescriptor(key: "s", ascending: true) { left, right in
            let lengths = [left, right].map { ($0 as? String)?.count ?? 0 }
            return lengths[0] < lengths[1]
                ? .orderedAscending : lengths[0] > lengths[1] ? .orderedDescending : .orderedSame
        }
        #expect(order(byLength) == ["b", "C", "a", "item 9", "item 10"])
    }

    @Test func `a type that names its key paths can be sorted by them`() {
        let descriptor = NSSortDescriptor(keyPath: \Named.title, ascending: true)
        #expect(descriptor.key == "title")
        #expect(descriptor.keyPath == \Named.title)
        #expect(NSExpression(forKeyPath: \Named.title).keyPath == "title")
        #expect(NSSortDescriptor(SortDescriptor(\Named.title, order: .reverse)).ascending == false)
    }

    @Test func `values without an order throw an error with the reason`() {
        let rows: [[String: Any]] = [["a": 1], ["a": "x"]]
        #expect(throws: PredicateEvaluationError.self) {
            try SortOrder.sorted(rows, by: [NSSortDescriptor(key: "a", ascending: true)])
        }
        #expect(throws: PredicateEvaluationError.self) {
            try SortOrder.sorted(
                rows, by: [NSSortDescriptor(key: "a", ascending: true, selector: "length")])
        }
    }

    @Test func `collections are filtered and sorted in their own kind`() {
        let big = NSPredicate(format: "SELF > 1")
        let down = [NSSortDescriptor(key: nil, ascending: false)]
        #expect([3, 1, 2].filtered(using: big) == [3, 2])
        #expect([3, 1, 2].sorted(using: down) == [3, 2, 1])
        #expect(NSArray(array: [3, 1, 2]).filtered(using: big) as? [Int] == [3, 2])
        #expect(NSArray(array: [3, 1, 2]).sortedArray(using: down) as? [Int] == [3, 2, 1])
        let set: Set<AnyHashable> = NSSet(array: [3, 1, 2]).filtered(using: big)
        #expect(Set(set.compactMap { ($0.base as? NSNumber)?.intValue }) == [2, 3])
        #expect(NSSet(array: [3, 1, 2]).sortedArray(using: down) as? [Int] == [3, 2, 1])
        #expect(
            NSOrderedSet(array: [3, 1, 2]).filtered(using: big) == NSOrderedSet(array: [3, 2]))
        let mutable = NSMutableArray(array: [3, 1, 2])
        mutable.filter(using: big)
        mutable.sort(using: [NSSortDescriptor(key: "self", ascending: true)])
        #expect(mutable as? [Int] == [2, 3])
    }
}
