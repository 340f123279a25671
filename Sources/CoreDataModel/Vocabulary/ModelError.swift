/// All mistakes in a model.
///
/// Thrown when a model is read, frozen or archived. The public API converts it to an `NSError`.
package struct ModelError: Error, Sendable, CustomStringConvertible {
    /// The findings, at least one, in the order of the model.
    package let findings: [Finding]

    package init(_ findings: [Finding]) { self.findings = findings }

    package init(_ finding: Finding) { findings = [finding] }

    package var kind: Kind { findings.first?.kind ?? .notAModel }
    package var entity: String? { findings.first?.entity }
    package var property: String? { findings.first?.property }
    package var location: Location? { findings.first?.location }

    package var description: String {
        findings.map(\.description).joined(separator: "\n")
    }

    /// The kind of a mistake.
    package enum Kind: String, Sendable, CaseIterable {
        case unreadableFile
        case emptyFile
        case notText
        case notXML
        case notAModel
        case noSuchVersion
        case missingName
        case badName
        case duplicateEntity
        case duplicateProperty
        case inheritedProperty
        case foreignEntity
        case superentityCycle
        case missingClassName
        case missingType
        case unknownType
        case unknownAttribute
        case badValue
        case badDefaultValue
        case missingDestination
        case unknownDestination
        case unknownSuperentity
        case unknownInverse
        case inverseNotMutual
        case badCount
        case unknownConstraintMember
        case unknownIndexMember
        case unknownMember
        case mergeConflict
        case unsupported
    }

    /// A position in a file; lines and columns count from 1.
    package struct Location: Sendable, Equatable, CustomStringConvertible {
        package var path: String
        package var line: Int?
        package var column: Int?

        package init(path: String, line: Int? = nil, column: Int? = nil) {
            self.path = path
            self.line = line
            self.column = column
        }

        package var description: String {
            guard let line else { return path }
            guard let column else { return "\(path):\(line)" }
            return "\(path):\(line):\(column)"
        }
    }

    package struct Finding: Sendable, Equatable, CustomStringConvertible {
        package var kind: Kind
        package var entity: String?
        package var property: String?
        package var message: String
        package var location: Location?

        package init(
            _ kind: Kind, entity: String? = nil, property: String? = nil,
            _ message: String, at location: Location? = nil
        ) {
            self.kind = kind
            self.entity = entity
            self.property = property
            self.message = message
            self.location = location
        }

        package var problem: String { halves.problem }

        /// The part of the message that describes the remedy, without a full stop. Nil if the
        /// message has no remedy.
        package var advice: String? { halves.advice }

        private var halves: (problem: String, advice: String?) {
            let text = message.hasSuffix(".") ? message.dropLast() : message[...]
            guard let end = text.firstIndex(of: ";") else { return (String(text), nil) }
            return (String(text[..<end]), String(text[end...].drop { $0 == ";" || $0 == " " }))
        }

        /// `path:line:column: Entity.property: message`, without the unknown parts.
        package var description: String {
            let name = [entity, property].compactMap { $0 }.joined(separator: ".")
            let parts = [location?.description, name.isEmpty ? nil : name, message]
            return parts.compactMap { $0 }.joined(separator: ": ")
        }
    }
}
