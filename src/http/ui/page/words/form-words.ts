export const formWords = {
  busy: 'Sending …',
  yes: (label: string): string => `Yes, ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
  no: 'No',
  changedMeanwhile: 'Somebody changed this meanwhile.',
  theirs: 'The present state',
  takeTheirs: 'Drop my change',
  keepMine: 'Write mine over it',
  decideFirst: 'It cannot be saved before you decide about the change of the others.',
} as const
