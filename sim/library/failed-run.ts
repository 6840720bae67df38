/** What must hold in a run does not. The message shows the end of the story. */
export class FailedRun extends Error {}
