import CBaseline
import CoreData
import LabBench

/// The operations on the archive of shops, shelves and items. They cover two levels of
/// relationships, many-to-many relationships and ordered ones.
extension LabBench.Operation {
    static let archives = [walkTwoLevels, manyToMany, ordered]

    private static let scale = Scale(parameter: "authors", unit: "items")

    private static let walkTwoLevels = Self(
        "walk-two-levels", parameters: [.word("prefetch", ["none", "one", "two"])],
        library: ArchiveLibrary(), scale: scale,
        sentence: { variant in
            let shape = variant.shape
            let prefetched =
                switch variant.word("prefetch") {
                case "one": " with their shelves prefetched"
                case "two": " with their shelves and the shelves' items prefetched"
                default: ""
                }
            return "Fetches \(shape.shops) shops\(prefetched) and reads every item of every shelf."
        },
        twinSentence: { variant in
            switch variant.word("prefetch") {
            case "none":
                "One SELECT for the shops. For each shop, one for the keys of its shelves; for each"
                    + " shelf, one for its row and one for the keys of its items; for each item,"
                    + " one for its row."
            case "one":
                "One SELECT for the shops, and one for all their shelves. For each shelf, one for"
                    + " the keys of its items; for each item, one for its row."
            default: "Three SELECTs: the shops, all their shelves, and all items of the shelves."
            }
        },
        engine: .confined { run, _ in try walk(run) },
        twin: TwinWork { run, result in
            let depth = ["none", "one", "two"].firstIndex(of: run.variant.word("prefetch")) ?? 0
            cb_two_levels(run.file, Int32(depth), result)
        })

    private static func walk(_ run: EngineRun) throws -> EngineOutcome {
        let request = NSFetchRequest<Shop>(entityName: "Shop")
        request.relationshipKeyPathsForPrefetching =
            switch run.variant.word("prefetch") {
            case "one": run.prefetching(["shelves"])
            case "two": run.prefetching(["shelves", "shelves.items"])
            default: nil
            }
        let shops = try run.context.fetch(request)
        var sum: UInt64 = 0
        for shop in shops {
            for case let shelf as Shelf in shop.shelves {
                sum &+= UInt64(shelf.label.utf8.count) &* 7
                for case let item as Item in shelf.items { sum &+= item.touched }
            }
        }
        return EngineOutcome(sum, keeping: shops)
    }

    private static let manyToMany = Self(
        "many-to-many", parameters: [.word("prefetch", ["none", "tags"])],
        library: ArchiveLibrary(),
        scale: scale,
        sentence: { variant in
            let how = variant.word("prefetch") == "tags" ? " with their tags prefetched" : ""
            return "Fetches \(variant.shape.bookTotal) items\(how) and reads the tags of each."
        },
        twinSentence: { variant in
            variant.word("prefetch") == "tags"
                ? "One SELECT for all items, and one through the join table for all their tags."
                : "One SELECT for all items. For each item, one for the keys of its tags; for each"
                    + " tag, one for its row."
        },
        engine: .confined { run, _ in
            let request = NSFetchRequest<Item>(entityName: "Item")
            if run.variant.word("prefetch") == "tags" {
                request.relationshipKeyPathsForPrefetching = run.prefetching(["tags"])
            }
            let items = try run.context.fetch(request)
            var sum: UInt64 = 0
            for item in items {
                for case let tag as Tag in item.tags { sum &+= UInt64(tag.word.utf8.count) &* 3 }
            }
            return EngineOutcome(sum, keeping: items)
        },
        twin: TwinWork { run, result in
            cb_many_to_many(run.file, run.variant.word("prefetch") == "tags" ? 1 : 0, result)
        })

    private static let ordered = Self(
        "ordered", parameters: [.word("prefetch", ["none", "items"])], library: ArchiveLibrary(),
        scale: scale,
        sentence: { variant in
            let how = variant.word("prefetch") == "items" ? " with their items prefetched" : ""
            return "Fetches \(variant.shape.authors) shelves\(how) and reads the items of each in "
                + "their order."
        },
        twinSentence: { variant in
            variant.word("prefetch") == "items"
                ? "One SELECT for all shelves, and one for all their items in order."
                : "One SELECT for all shelves. For each shelf, one for the keys of its items in"
                    + " order; for each item, one for its row."
        },
        engine: .confined { run, _ in
            let request = NSFetchRequest<Shelf>(entityName: "Shelf")
            if run.variant.word("prefetch") == "items" {
                request.relationshipKeyPathsForPrefetching = run.prefetching(["items"])
            }
            let shelves = try run.context.fetch(request)
            var sum: UInt64 = 0
            for shelf in shelves {
                for (place, item) in shelf.items.enumerated() {
                    // Safe: the model declares items as the destination of `items`.
                    let touched = unsafeDowncast(item, to: Item.self).touched
                    sum &+= touched &* UInt64(place + 1)
                }
            }
            return EngineOutcome(sum, keeping: shelves)
        },
        twin: TwinWork { run, result in
            cb_ordered(run.file, run.variant.word("prefetch") == "items" ? 1 : 0, result)
        })
}
