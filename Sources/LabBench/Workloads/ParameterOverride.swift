import LabFiles

/// A value from the command line. It applies to every workload with this parameter.
package struct ParameterOverride: Sendable, Hashable {
    package let name: String
    package let texts: [String]

    /// Parses `name=value` or `name=value,value,…`.
    package init(_ argument: String) throws(InputError) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let texts =
            parts.count == 2
            ? parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init) : []
        guard parts.count == 2, !parts[0].isEmpty, texts.allSatisfy({ !$0.isEmpty }) else {
            throw InputError(
                file: "--param \(argument)", problem: "this is not a parameter",
                remedy: "write --param name=value, or name=value,value for a sweep")
        }
        name = String(parts[0])
        self.texts = texts
    }

    /// Changes the workloads that have the parameter.
    ///
    /// - Throws: an error if no workload has the parameter, or if a value is invalid.
    package func apply(to workloads: inout [Workload]) throws(InputError) {
        var isKnown = false
        for index in workloads.indices {
            let specs = workloads[index].settings.map(\.spec)
            guard let spec = specs.first(where: { $0.name == name }) else { continue }
            isKnown = true
            workloads[index].set(ParameterSetting(spec: spec, values: try values(spec)))
        }
        guard isKnown else {
            let known = Set(workloads.flatMap { $0.settings.map(\.spec.name) }).sorted()
            throw InputError(
                file: "--param \(name)", problem: "no workload has this parameter",
                remedy: "write one of \(known.joined(separator: ", "))")
        }
    }

    private func values(_ spec: ParameterSpec) throws(InputError) -> [ParameterValue] {
        var result: [ParameterValue] = []
        for text in texts {
            guard let value = spec.value(text), !result.contains(value) else {
                throw InputError(
                    file: "--param \(name)",
                    problem: "`\(text)` is not a valid value, or appears twice",
                    remedy: spec.remedy)
            }
            result.append(value)
        }
        return result
    }
}
