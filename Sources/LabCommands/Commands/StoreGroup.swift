import ArgumentParser
import LabRunner

/// The option that selects the store on which scenarios run.
package struct StoreGroup: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Run on this store in place of the store of each file: sqlite-image, sqlite, or"
                + " postgresql[:LEVEL] in a temporary server or in the database of"
                + " FAULTLINE_POSTGRESQL. Scenarios that need another store are skipped.",
            valueName: "store"))
    package var store: String?

    package init() {}

    /// Starts the server of the store, if the store needs one.
    package func apply(to options: inout SuiteOptions) throws {
        if let store { options.store = try StoreHosts.choice(store) }
    }
}
