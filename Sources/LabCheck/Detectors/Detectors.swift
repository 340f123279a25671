import ContextHistory

/// All detectors of misbehaviour in a history.
package enum Detectors {
    /// The findings of a history, in the order in which they became true.
    ///
    /// - Parameter isEnded: whether the history ends with the program. If not, contexts may still
    ///   save and merge after the last event.
    package static func findings(in history: History, isEnded: Bool = true) -> [Detection] {
        var found: [Detection] = []
        for entry in history.entries {
            switch entry.event {
            case .misuse(let misuse, let message):
                found.append(
                    Detection(
                        name: misuse.rawValue, prose: message, evidence: [entry.step],
                        step: entry.step))
            case .looped(let block, let times):
                found.append(
                    Detection(
                        name: "notification loop",
                        prose: "A save puts '\(block)' on its queue, and '\(block)' causes such a"
                            + " save; the lab ended the loop after \(times) rounds.",
                        evidence: [entry.step], step: entry.step))
            case .tookTemporary(let object, let source):
                found.append(
                    Detection(
                        name: "temporary id escaped",
                        prose: "\(entry.context) received the temporary id of \(object.alias),"
                            + " which is valid only in \(source).",
                        evidence: ["\(entry.step): the id from \(source) is temporary"],
                        step: entry.step))
            case .failed(let code, let message):
                found.append(
                    Detection(
                        name: "engine error",
                        prose: "\(entry.context) got error \(code) in \(entry.step): \(message)",
                        evidence: [entry.step], step: entry.step))
            default: break
            }
        }
        found += LostChanges.detect(in: history)
        found += UniqueRace.detect(in: history)
        found += PoisonedContext.detect(in: history)
        found += StaleReads.detect(in: history)
        found += Merges.detect(in: history)
        found += References.detect(in: history)
        found += WriteSkew.detect(in: history)
        if isEnded { found += HalfSave.detect(in: history) }
        found += UnsavedReads.detect(in: history)
        found += ReadSkew.detect(in: history)
        found += Phantoms.detect(in: history)
        found += GhostUpdates.detect(in: history)
        found += Inverses.detect(in: history)
        return unique(found)
    }

    private static func unique(_ found: [Detection]) -> [Detection] {
        var seen: Set<Detection> = []
        return found.filter { seen.insert($0).inserted }
    }
}
