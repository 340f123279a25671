// Sources: ../../Original/Example/ExampleModel/ExampleModel
