import { normalize } from '../../src/config/normalize.ts'
import { patternOf } from './answers.ts'
import type { Scenario } from './scenario-schema.ts'
import { partsOf, Selector } from './selector.ts'
import { savedName, Template } from './template.ts'
import type { ScenarioProblem, YamlDocument } from './yaml-document.ts'

/** Checks what no schema of single values can: names that must exist, and parts of the cluster that are not there yet. */
export function checkMeaning(document: YamlDocument, scenario: Scenario): readonly ScenarioProblem[] {
  const check = new MeaningCheck(document, scenario)
  check.cluster()
  check.walk(scenario, [])
  return check.problems
}

class MeaningCheck {
  readonly problems: ScenarioProblem[] = []
  readonly #document: YamlDocument
  readonly #scenario: Scenario
  readonly #nodes: readonly string[]
  readonly #saved: ReadonlySet<string>

  constructor(document: YamlDocument, scenario: Scenario) {
    this.#document = document
    this.#scenario = scenario
    const count = Object.values(scenario.cluster).reduce((sum, { servers }) => sum + servers.count, 0)
    this.#nodes = Array.from({ length: count }, (_, at) => `s${at + 1}`)
    this.#saved = savedNames(scenario)
  }

  cluster(): void {
    const names = Object.keys(this.#scenario.cluster)
    if (names.length === 0) this.#problem(['cluster'], "nobody is there: add 'dc1: { servers: { count: 3 } }'")
    if (names[1] !== undefined) {
      this.#problem(['cluster', names[1]], 'a second datacenter is not there yet: describe one')
    }
    for (const [name, { config }] of Object.entries(this.#scenario.cluster)) {
      const machine = { hostName: 's1', architecture: 'x64', operatingSystem: 'linux', cpuCount: 1 }
      const file = { ...config, server: true, bind_addr: '10.0.1.1', data_dir: '/data', datacenter: name }
      const whole = normalize(file, false, { ...machine, interfaces: () => [] })
      for (const problem of whole.ok ? [] : whole.error) {
        this.#problem(['cluster', name, 'config'], `${problem.message}: ${problem.remedy}`)
      }
    }
    const lasts = (this.#scenario.steps?.length ?? 0) > 0 || this.#scenario.lasts !== undefined
    if (!lasts) this.#problem([], "nothing happens and no time passes: add 'steps' or 'lasts'")
    for (const key of ['always', 'never'] as const) {
      for (const [at, condition] of (this.#scenario[key] ?? []).entries()) this.#atEveryMoment(condition, [key, at])
    }
  }

  walk(value: unknown, path: readonly PropertyKey[]): void {
    if (value instanceof Selector) this.#selector(value, path)
    else if (value instanceof Template) this.#template(value, path)
    else if (Array.isArray(value)) for (const [at, item] of value.entries()) this.walk(item, [...path, at])
    else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) this.#member(key, item, path)
    }
  }

  #member(key: string, item: unknown, path: readonly PropertyKey[]): void {
    const here = [...path, key]
    if (path[0] === 'steps' && (key === 'always' || key === 'never')) this.#atEveryMoment(item as object, here)
    this.walk(item, here)
  }

  #selector(selector: Selector, path: readonly PropertyKey[]): void {
    for (const part of partsOf(selector.pick)) {
      if (part.kind === 'node' && !this.#nodes.includes(part.name)) {
        const known = this.#nodes.length === 1 ? 's1' : `s1 to ${this.#nodes.at(-1)}`
        this.#problem(path, `there is no node '${part.name}': the cluster has ${known}`)
      }
      if (part.kind === 'saved') this.#savedName(part.name, path)
      if (part.kind === 'it' && path[0] !== 'faults') {
        this.#problem(path, "'it' is the node that set off a fault: name a node here")
      }
      if (part.kind === 'group' && part.datacenter !== undefined && !(part.datacenter in this.#scenario.cluster)) {
        const known = Object.keys(this.#scenario.cluster).join(', ')
        this.#problem(path, `there is no datacenter '${part.datacenter}': the cluster has ${known}`)
      }
    }
  }

  #template(template: Template, path: readonly PropertyKey[]): void {
    for (const name of template.names()) this.#savedName(name, path)
    const pattern = path.includes('expect') ? patternOf(template.text) : undefined
    if (pattern !== undefined && !isRegularExpression(pattern)) {
      this.#problem(path, `/${pattern}/ is not a regular expression: escape what is meant literally with \\`)
    }
  }

  #savedName(name: string, path: readonly PropertyKey[]): void {
    if (this.#saved.has(savedName(name))) return
    const known = this.#saved.size === 0 ? "no step has a 'save'" : `saved are ${[...this.#saved].join(', ')}`
    this.#problem(path, `nothing is saved as '${name}': ${known}`)
  }

  #atEveryMoment(condition: object, path: readonly PropertyKey[]): void {
    if (!('kv' in condition) || condition.kv === undefined) return
    this.#problem([...path, 'kv'], "a key is read by a request, which takes time: use it with 'expect' or 'eventually'")
  }

  #problem(path: readonly PropertyKey[], message: string): void {
    this.problems.push({ place: this.#document.placeOf(path), message })
  }
}

function isRegularExpression(pattern: string): boolean {
  try {
    new RegExp(pattern)
    return true
  } catch {
    return false
  }
}

function savedNames(scenario: Scenario): ReadonlySet<string> {
  const names = new Set<string>()
  for (const step of scenario.steps ?? []) {
    for (const name of Object.keys(step.save ?? {})) names.add(name)
    if (step.http?.save !== undefined) names.add(step.http.save)
  }
  return names
}
