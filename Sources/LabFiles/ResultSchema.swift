/// The JSON Schema (draft 2020-12) of each kind of result file, which the module of the result
/// declares in an extension.
///
/// The command `schema` prints it, and a test validates every written file.
package enum ResultSchema {
    package static func header(_ kind: ResultKind) -> String {
        """
        {
              "type": "object", "additionalProperties": false,
              "required": ["kind", "formatVersion"],
              "properties": {
                "kind": {"const": "\(kind.rawValue)"},
                "formatVersion": {"const": \(kind.formatVersion)}
              }
            }
        """
    }
}
