import type { Layer } from './view.ts'

/** Colours of the page's pictures, read from its style sheet, which has them for light and dark. */
export interface Palette {
  readonly text: string
  readonly faint: string
  readonly line: string
  readonly ground: string
  readonly lane: string
  readonly down: string
  readonly onDown: string
  readonly fault: string
  readonly violation: string
  readonly cursor: string
  readonly progress: string
  readonly bar: string
  readonly isDark: boolean
  readonly layers: Readonly<Record<Layer, string>>
}

export function paletteOf(root: Element): Palette {
  const style = getComputedStyle(root)
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  return {
    text: colour('text'),
    faint: colour('faint'),
    line: colour('line'),
    ground: colour('ground'),
    lane: colour('lane'),
    down: colour('down'),
    onDown: colour('on-down'),
    fault: colour('fault'),
    violation: colour('violation'),
    cursor: colour('cursor'),
    progress: colour('progress'),
    bar: colour('bar'),
    isDark: colour('scheme') === 'dark',
    layers: {
      votes: colour('votes'),
      raft: colour('raft'),
      gossip: colour('gossip'),
      rpc: colour('rpc'),
      http: colour('http'),
      dns: colour('dns'),
    },
  }
}

/**
 * Each term has its own hue, far from that of the previous term and from the amber of candidates; a leader's band is
 * stronger than its followers'.
 */
export function roleColour(role: string, term: number, isDark: boolean): string {
  const hue = 90 + ((term * 103) % 250)
  if (role === 'leader') return isDark ? `hsl(${hue} 55% 38%)` : `hsl(${hue} 65% 70%)`
  if (role === 'candidate' || role === 'pre-candidate') return isDark ? 'hsl(45 70% 35%)' : 'hsl(45 90% 75%)'
  return isDark ? `hsl(${hue} 18% 22%)` : `hsl(${hue} 40% 92%)`
}
