export const formWords = {
  busy: 'Sending …',
  yes: (label: string): string => `Yes, ${label.charAt(0).toLowerCase()}${label.slice(1)}`,
  no: 'No',
} as const
