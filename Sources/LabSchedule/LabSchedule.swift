// LabSchedule
