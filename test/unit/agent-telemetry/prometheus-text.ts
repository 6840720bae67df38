/** One family of the text format of Prometheus: its type, and its samples by name and labels. */
export interface Family {
  readonly type: string
  readonly help: string
  readonly samples: ReadonlyMap<string, number>
}

/**
 * Reads what Prometheus reads, and throws at what it would refuse: a malformed name, a sample before its family or
 * of another one, a family twice, a missing line feed. Source: Prometheus, text exposition format 0.0.4.
 */
export function parsePrometheus(text: string): ReadonlyMap<string, Family> {
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line must end with a line feed')
  const families = new Map<string, { type: string; help: string; samples: Map<string, number> }>()
  const named = (name: string) => {
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw new Error(`not a name: ${name}`)
    const family = families.get(name) ?? { type: '', help: '', samples: new Map() }
    families.set(name, family)
    return family
  }
  for (const line of text.split('\n').slice(0, -1)) {
    const comment = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line)
    if (comment !== null) {
      const [, kind, name = '', words = ''] = comment
      const family = named(name)
      if (family.samples.size > 0) throw new Error(`${line}: after samples of its own`)
      if ((kind === 'HELP' ? family.help : family.type) !== '') throw new Error(`${line}: a second time`)
      if (kind === 'HELP') family.help = words
      else if (['counter', 'gauge', 'summary', 'histogram', 'untyped'].includes(words)) family.type = words
      else throw new Error(`${line}: no such type`)
      continue
    }
    const [, name = '', labels = '', value = ''] =
      /^([^\s{]+)(\{[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*\})? (\S+)$/.exec(line) ?? []
    const base = name.replace(/_(sum|count)$/, '')
    const family = families.get(base)?.type === 'summary' ? families.get(base) : families.get(name)
    if (family === undefined || family.type === '') throw new Error(`${line}: of no family`)
    if (family.samples.has(name + labels)) throw new Error(`${line}: a second time`)
    family.samples.set(name + labels, numberOf(value))
  }
  return families
}

function numberOf(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY
  if (text === '-Inf') return Number.NEGATIVE_INFINITY
  if (text === 'NaN') return Number.NaN
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) throw new Error(`not a number: ${text}`)
  return Number(text)
}
