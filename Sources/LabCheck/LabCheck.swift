// LabCheck
