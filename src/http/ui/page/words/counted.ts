/** `3 of 5 services`; with all of them shown, `5 services`, or `1 service`. */
export function counted(shown: number, all: number, one: string, many: string): string {
  const name = all === 1 ? one : many
  return shown === all ? `${all} ${name}` : `${shown} of ${all} ${name}`
}
