@_exported import Foundation
// Foundation on Linux has classes with the same names. A file that imports only this module sees
// the classes of this module. In a file that also imports Foundation, the names are ambiguous. So a
// file that uses predicates or sort descriptors imports this module and not Foundation.
