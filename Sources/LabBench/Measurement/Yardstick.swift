import CYardstick
import CoreData

/// A fixed task in C that runs in every round if a workload has no C baseline.
///
/// Times of different days are not directly comparable. If each time is divided by the yardstick's
/// time in the same round, effects that slow down the whole machine cancel out.
enum Yardstick {
    /// The name of the operation in requests. Workloads cannot have this name.
    static let name = "(yardstick)"

    static let operation = Operation(
        name, library: YardstickLibrary(), sentence: { _ in "" },
        twinSentence: { _ in "One SELECT of all columns." },
        engine: .standalone { _ in throw MeasurementError("the yardstick is measured only in C") },
        twin: TwinWork { cb_full_fetch($0.file, $1) })

    static let variant = WorkloadVariant(
        operation: operation,
        parameters: operation.specs.map { spec in
            (spec.name, size[spec.name].map { .integer($0) } ?? spec.standard)
        }, swept: [])

    /// The number of runs in each process. A run takes only a millisecond or two. Several runs
    /// limit the effect of an interruption.
    static let runs = 15

    private static let size = ["authors": 200, "books": 50]
}

/// The authors and books that the yardstick fetches. The engine writes them into the file.
private struct YardstickLibrary: LibraryKind {
    func model(_ variant: WorkloadVariant) -> NSManagedObjectModel {
        BookModel.make(author: NSManagedObject.self, book: NSManagedObject.self)
    }

    func libraryFile(_ variant: WorkloadVariant) -> String {
        "yardstick-\(variant.shape.fileName)"
    }

    func fill(_ context: NSManagedObjectContext, _ variant: WorkloadVariant) {
        let rows = Dataset(variant.shape)
        var index = 0
        for name in rows.names {
            let author = object("Author", in: context)
            author.setValue(name, forKey: "name")
            for _ in 0..<rows.shape.books {
                let book = object("Book", in: context)
                book.setValue(rows.titles[index], forKey: "title")
                book.setValue(rows.years[index], forKey: "year")
                book.setValue(rows.pages[index], forKey: "pages")
                book.setValue(rows.copies[index], forKey: "copies")
                book.setValue(author, forKey: "author")
                index += 1
            }
        }
    }

    private func object(_ name: String, in context: NSManagedObjectContext) -> NSManagedObject {
        NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    }
}
