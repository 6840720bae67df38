import type { Terminal } from '../env/terminal.ts'

const codes = { red: 31, green: 32, yellow: 33, grey: 90 } as const

export type Color = keyof typeof codes

/** Whether a stream that belongs to a terminal shows colours: https://no-color.org, and `dumb` terminals. */
function hasColors({ interactive, environment }: Pick<Terminal, 'interactive' | 'environment'>): boolean {
  return interactive && (environment.get('NO_COLOR') ?? '') === '' && environment.get('TERM') !== 'dumb'
}

/** Colours whole words of a table that is laid out already, so that columns stay as wide as they are. */
export function paintWords(terminal: Terminal, table: string, colors: ReadonlyMap<string, Color>): string {
  if (!hasColors(terminal)) return table
  const words = [...colors.keys()].join('|')
  return table.replace(new RegExp(`(?<=^|\\s\\s)(?:${words})(?=\\s\\s|$)`, 'gm'), (word) => {
    const color = colors.get(word)
    return color === undefined ? word : `\u001b[${codes[color]}m${word}\u001b[0m`
  })
}
