import { err, ok, type Result } from '../../../src/base/result.ts'
import type { GivenAct } from '../../play/acts-done.ts'

/** A command that is one act. */
interface TypedAct {
  readonly usage: string
  readonly about: string
  /** Undefined: the words do not match the usage. */
  act(words: readonly string[]): GivenAct | undefined
}

function ofNodes(action: string, about: string): TypedAct {
  return {
    usage: `${action} NODE [for 5s]`,
    about,
    act: ([node, preposition, span, ...rest]) => {
      if (node === undefined || rest.length > 0 || (preposition !== undefined && preposition !== 'for'))
        return undefined
      if ((preposition === undefined) !== (span === undefined)) return undefined
      return { do: { [action]: node, ...(span === undefined ? {} : { for: span }) } }
    },
  }
}

const diskFaults: Readonly<Record<string, string>> = { full: 'fill disk', stalled: 'stall disk', failing: 'fail fsync' }

/** By the first word of a line. A node may be any selection of the scenario language: `leader`, `followers`. */
const typedActs: Readonly<Record<string, TypedAct>> = {
  cut: {
    usage: 'cut A B',
    about: 'cut the link between two agents',
    act: ([from, to, ...rest]) =>
      from === undefined || to === undefined || rest.length > 0 ? undefined : { do: { cut: { from, to } } },
  },
  join: {
    usage: 'join A B',
    about: 'mend the link between two agents',
    act: (among) => (among.length === 2 ? { do: { heal: { among } } } : undefined),
  },
  partition: {
    usage: 'partition s1|s2,s3',
    about: 'cut all links between groups',
    act: (words) => {
      const groups = words
        .join('')
        .split('|')
        .map((group) => group.split(',').filter(Boolean))
      return groups.length < 2 || groups.some((group) => group.length === 0)
        ? undefined
        : { do: { partition: { groups } } }
    },
  },
  heal: {
    usage: 'heal',
    about: 'mend all links',
    act: ({ length }) => (length === 0 ? { do: { heal: 'everything' } } : undefined),
  },
  mend: {
    usage: 'mend',
    about: 'end every fault, and start what is stopped',
    act: ({ length }) => (length === 0 ? { mend: true } : undefined),
  },
  crash: ofNodes('crash', 'cut the power of an agent: what is not synced may be lost'),
  kill: ofNodes('kill', 'end the process of an agent, as kill -9 does'),
  restart: { ...ofNodes('restart', 'start an agent; if it runs, crash it first'), usage: 'restart NODE' },
  freeze: {
    usage: 'freeze NODE',
    about: 'stop the process of an agent, as SIGSTOP does',
    act: ([node, ...rest]) => (node === undefined || rest.length > 0 ? undefined : { do: { pause: node } }),
  },
  thaw: {
    usage: 'thaw NODE',
    about: 'let a frozen process go on',
    act: ([node, ...rest]) => (node === undefined || rest.length > 0 ? undefined : { do: { resume: node } }),
  },
  clock: {
    usage: 'clock NODE +5m',
    about: 'let the wall clock of an agent jump; with clock NODE 1% its clocks run faster',
    act: ([nodes, by, ...rest]) => {
      if (nodes === undefined || by === undefined || rest.length > 0) return undefined
      const value = by.replace(/^\+/, '')
      return {
        do: value.endsWith('%') ? { 'clock rate': { nodes, rate: value } } : { 'step clock': { nodes, by: value } },
      }
    },
  },
  disk: {
    usage: 'disk NODE full|stalled|failing [for 5s]',
    about: 'the disk has no room, finishes nothing, or fails at the next sync',
    act: ([node, fault = '', preposition, span]) => {
      const action = diskFaults[fault]
      if (node === undefined || action === undefined) return undefined
      return { do: { [action]: node, ...(preposition === 'for' && span !== undefined ? { for: span } : {}) } }
    },
  },
  upgrade: {
    usage: 'upgrade NODE 1.2.0',
    about: 'start an agent as another release',
    act: ([node, to, ...rest]) =>
      node === undefined || to === undefined || rest.length > 0 ? undefined : { upgrade: { node, to } },
  },
  set: {
    usage: 'set NODE \'{"log_level": "debug"}\'',
    about: 'start an agent with other settings; null removes one',
    act: ([node, text = '', ...rest]) => {
      const config = jsonObject(text)
      return node === undefined || config === undefined || rest.length > 0 ? undefined : configured(node, config)
    },
  },
  fault: {
    usage: 'fault \'{"crash": "leader", "for": "5s"}\'',
    about: 'any fault in the words of scenarios',
    act: (words) => {
      const action = jsonObject(words.join(' '))
      return action === undefined ? undefined : { do: action }
    },
  },
}

/** Usage and description of each. */
export const typedActLines: readonly (readonly [usage: string, about: string])[] = Object.values(typedActs).map(
  ({ usage, about }) => [usage, about],
)

/** The act that a line requests; undefined if its first word is not the name of an act. */
export function typedAct(command: string, words: readonly string[]): Result<GivenAct, string> | undefined {
  const typed = Object.hasOwn(typedActs, command) ? typedActs[command] : undefined
  if (typed === undefined) return undefined
  const act = typed.act(words)
  return act === undefined ? err(`write: ${typed.usage}`) : ok(act)
}

/** The act that changes settings; null removes one. */
export function configured(node: string, config: Readonly<Record<string, unknown>>): GivenAct {
  const entries = Object.entries(config)
  const without = entries.filter(([, value]) => value === null).map(([setting]) => setting)
  const kept = Object.fromEntries(entries.filter(([, value]) => value !== null))
  return { configure: { node, config: kept, ...(without.length === 0 ? {} : { without }) } }
}

function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
