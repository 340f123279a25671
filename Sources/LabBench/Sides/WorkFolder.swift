import LabFiles

/// A new folder, which is removed when this value is released.
struct WorkFolder: ~Copyable {
    private let folder: TemporaryFolder

    init() throws(MeasurementError) {
        do throws(FileProblem) { folder = try TemporaryFolder("bench") } catch {
            throw MeasurementError("\(TemporaryFolder.base): \(error.what); \(error.instead)")
        }
    }

    var path: String { folder.path }

    deinit { folder.remove() }
}
