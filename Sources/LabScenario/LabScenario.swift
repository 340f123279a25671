// LabScenario
