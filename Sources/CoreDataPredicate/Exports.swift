@_exported import Foundation
// Foundation on Linux has classes of the same names. A file that gets Foundation through this
// module sees the classes of this module; in a file that also imports Foundation, the names are
// ambiguous. A file that names a predicate or a sort descriptor therefore imports this module and
// not Foundation.
