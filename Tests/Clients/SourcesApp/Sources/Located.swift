import CoreData

#sourceLocation(file:"Made/From.template",line:50)
class Located: NSObject {
    @objc func line() -> String { "\(#fileID):\(#line)" }
    @objc func file() -> String { #filePath }
    #sourceLocation()
    @objc func after() -> Int { (#line) }
}

#if true
    extension Located { @objc func overridden() -> Int { (#line) } }
#endif

class LocatedBelow: Located {
    override func overridden() -> Int { (#line) + 100 }
    @objc func last() -> Int { (#line) }
}

func checkOddFiles() throws {
    expect("a file with a byte order mark", Ordered().path, "mark")
    expect("its lines", Ordered().line(), 5)
    let returned = entity("Returned", [attribute("text", .stringAttributeType)])
    let unended = entity("Unended", [attribute("text", .stringAttributeType)])
    let context = stack([returned, unended])
    let object = Returned(context: context)
    object.text = "t"
    expect("a file with carriage returns", object.value(forKey: "text") as? String, "t")
    expect("its lines in a string", object.lines, "a\ntext")
    expect("its lines' numbers", object.line(), 11)
    try context.save()
    expect("an override in it", object.lines, "saved")
    let last = Unended(context: context)
    last.text = "u"
    expect("a file without a last line's end", last.value(forKey: "text") as? String, "u")
    expect("#sourceLocation", Located().file(), "Made/From.template")
    expect("its line", Located().line().hasSuffix(":51"), true)
    expect("the end of it", Located().after(), 8)
    expect(
        "the lines behind members under #if", [LocatedBelow().overridden(), LocatedBelow().last()],
        [116, 17])
    expect("the base's line", Located().overridden(), 12)
}
