// Sources: ../../Original/Example/ExampleModel/ExampleModel
// Except: Version1_to_Version2.xcdatamodeld
// Xcode's project does not compile it either.
