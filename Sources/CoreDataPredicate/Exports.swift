@_exported import Foundation
// Foundation on Linux has classes of the same names. They are shadowed in a file that gets
// Foundation through this module, and ambiguous in one that imports Foundation as well: so a file
// that names a predicate or a sort descriptor imports this module and not Foundation.
