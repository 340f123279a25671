// LabRunner
