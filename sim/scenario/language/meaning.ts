import type { AgentConfig } from '../../../src/agent/settings/agent-config.ts'
import { normalize } from '../../../src/config/normalize.ts'
import type { FileConfig } from '../../../src/config/schema.ts'
import { newestRelease, type Release } from '../../../src/model/release.ts'
import { readSettings } from '../../cluster/settings.ts'
import { savedName, Template } from '../../notation/fields.ts'
import { partsOf, Selector } from '../../notation/selector.ts'
import { patternOf } from '../answers.ts'
import { askedKeysOf } from '../conditions/conditions.ts'
import { stepKinds } from '../steps/steps.ts'
import { onTwoSides } from './partition-sides.ts'
import type { Scenario } from './scenario-schema.ts'
import { ToldChecks } from './told-checks.ts'
import type { ScenarioProblem, YamlDocument } from './yaml-document.ts'

/**
 * Checks what no schema of single values can: names that must exist, and parts of the cluster that are not there yet.
 */
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
  readonly #servers: readonly string[]
  readonly #clients: readonly string[]
  readonly #nodes: readonly string[]
  readonly #checks = new ToldChecks()
  readonly #saved: ReadonlySet<string>

  constructor(document: YamlDocument, scenario: Scenario) {
    this.#document = document
    this.#scenario = scenario
    const datacenters = Object.values(scenario.cluster)
    const servers = datacenters.reduce((sum, { servers }) => sum + mostOf(servers.count) + (servers.spare ?? 0), 0)
    const clients = datacenters.reduce((sum, datacenter) => sum + mostOf(datacenter.clients?.count ?? 0), 0)
    this.#servers = numbered('s', servers)
    this.#clients = numbered('c', clients)
    this.#nodes = [...this.#servers, ...this.#clients]
    this.#saved = savedNames(scenario)
  }

  cluster(): void {
    const names = Object.keys(this.#scenario.cluster)
    if (names.length === 0) this.#problem(['cluster'], "the cluster has no nodes: add 'dc1: { servers: { count: 3 } }'")
    this.#names()
    for (const [name, { config, servers, clients, ...rest }] of Object.entries(this.#scenario.cluster)) {
      const base = ['cluster', name]
      for (const [at, drawn] of (rest['drawn config'] ?? [{}]).entries()) {
        const path = rest['drawn config'] === undefined ? ['config'] : ['drawn config', at]
        const settings = { ...config, ...drawn, ...servers.config, server: true }
        const read = this.#settings(settings, name, [...base, ...path], servers.release)
        if (read !== undefined) this.#checks.has(name, 'servers', read)
        if (clients === undefined) continue
        const ofClients = { ...config, ...drawn, ...clients.config, server: false }
        const readToo = this.#settings(ofClients, name, at === 0 ? [...base, 'clients'] : undefined, clients.release)
        if (readToo !== undefined) this.#checks.has(name, 'clients', readToo)
      }
    }
    this.#heartbeats()
    const { steps, lasts, played } = this.#scenario
    const isLasting = (steps?.length ?? 0) > 0 || lasts !== undefined || played !== undefined
    if (played !== undefined) this.#alone(played.acts.length, steps !== undefined || lasts !== undefined)
    if (!isLasting) this.#problem([], "nothing happens and no time passes: add 'steps' or 'lasts'")
    for (const key of ['always', 'never'] as const) {
      for (const [at, condition] of (this.#scenario[key] ?? []).entries()) this.#atEveryMoment(condition, [key, at])
    }
  }

  /** What was played says itself what happens and for how long. */
  #alone(acts: number, isBeside: boolean): void {
    if (isBeside)
      this.#problem(['played'], `the ${acts} acts of 'played' stand in place of 'steps' and 'lasts': remove those`)
  }

  /** Datacenters that know one another need different names, and keys need a datacenter. */
  #names(): void {
    const taken = new Set<string>()
    for (const [name, { apart, datacenter = name }] of Object.entries(this.#scenario.cluster)) {
      if (apart === true) continue
      if (taken.has(datacenter)) {
        const path = ['cluster', name, ...(datacenter === name ? [] : ['datacenter'])]
        this.#problem(path, `another datacenter is called '${datacenter}' too: give it another name, or 'apart: true'`)
      }
      taken.add(datacenter)
    }
    for (const [name, { datacenter }] of Object.entries(this.#scenario.workload ?? {})) {
      if (datacenter !== undefined) this.#datacenter(datacenter, ['workload', name, 'datacenter'])
    }
  }

  #datacenter(name: string, path: readonly PropertyKey[]): void {
    if (name in this.#scenario.cluster) return
    const known = Object.keys(this.#scenario.cluster).join(', ')
    this.#problem(path, `there is no datacenter '${name}': the cluster has ${known}`)
  }

  /** Settings that every agent would refuse are a mistake in the scenario. */
  #settings(
    settings: FileConfig,
    datacenter: string,
    path: readonly PropertyKey[] | undefined,
    release?: Release,
  ): AgentConfig | undefined {
    const told = (message: string): undefined => {
      if (path !== undefined) this.#problem(path, message)
    }
    const machine = { hostName: 's1', architecture: 'x64', operatingSystem: 'linux', cpuCount: 1 }
    const file = { ...settings, bind_addr: '10.0.1.1', data_dir: '/data', datacenter }
    const read = readSettings(file, release ?? newestRelease)
    if (!read.ok) return told(read.error)
    const whole = normalize(read.value, false, { ...machine, interfaces: () => [] }, undefined, release)
    for (const problem of whole.ok ? [] : whole.error) told(`${problem.message}: ${problem.remedy}`)
    return whole.ok ? whole.value.config : undefined
  }

  #heartbeats(): void {
    const groups = Object.entries(this.#scenario.heartbeats ?? {})
    if (groups.length === 0) return
    this.#checks.registered(this.#scenario, (config) => this.#settings(config, 'dc1', undefined))
    for (const [name, { at, check }] of groups) {
      const problem = this.#checks.problem(at, check)
      if (problem !== undefined) this.#problem(['heartbeats', name, 'check'], problem)
    }
  }

  #sides(sides: readonly Selector[], path: readonly PropertyKey[]): void {
    const twice = onTwoSides(sides, { servers: this.#servers, clients: this.#clients })
    if (twice !== undefined) this.#problem(path, `'${twice}' is on two sides of the partition: name it on one`)
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
    if (key === 'groups' && path.at(-1) === 'partition') this.#sides(item as readonly Selector[], here)
    if (key === 'members') this.#members(item as object, here)
    if (key === 'datacenter' && path.at(-1) === 'mesh') this.#datacenter(String(item), here)
    if (key === 'holds') this.#remembered(String(item), here)
    if (path[0] === 'visitors' && key === 'tokens') this.#savedName(String(item), here)
    if (path[0] === 'steps' && (key === 'always' || key === 'never')) this.#atEveryMoment(item as object, here)
    this.walk(item, here)
  }

  #selector(selector: Selector, path: readonly PropertyKey[]): void {
    for (const part of partsOf(selector.pick)) {
      if (part.kind === 'node' && !this.#nodes.includes(part.name)) {
        this.#problem(path, `there is no node '${part.name}': the cluster has ${rangeText(this.#nodes)}`)
      }
      if (part.kind === 'saved') this.#savedName(part.name, path)
      if (part.kind === 'it' && path[0] !== 'faults') {
        this.#problem(path, "'it' is the node that triggered a fault: name a node here")
      }
      if (part.kind === 'group' && part.datacenter !== undefined) this.#datacenter(part.datacenter, path)
    }
  }

  #template(template: Template, path: readonly PropertyKey[]): void {
    for (const name of template.names()) this.#savedName(name, path)
    const pattern = path.includes('expect') || path.includes('answer') ? patternOf(template.text) : undefined
    if (pattern !== undefined && !isRegularExpression(pattern)) {
      this.#problem(path, `/${pattern}/ is not a regular expression: escape what is meant literally with \\`)
    }
  }

  #members(members: object, path: readonly PropertyKey[]): void {
    for (const name of Object.keys(members).filter((member) => !this.#nodes.includes(member))) {
      this.#problem([...path, name], `there is no node '${name}': the cluster has ${rangeText(this.#nodes)}`)
    }
  }

  #remembered(name: string, path: readonly PropertyKey[]): void {
    const known = (this.#scenario.steps ?? []).flatMap(({ remember }) => remember ?? [])
    if (known.includes(name)) return
    const said = known.length === 0 ? "no step has a 'remember'" : `remembered are ${known.join(', ')}`
    this.#problem(path, `nothing is remembered as '${name}': ${said}`)
  }

  #savedName(name: string, path: readonly PropertyKey[]): void {
    if (this.#saved.has(savedName(name))) return
    const known = this.#saved.size === 0 ? "no step has a 'save'" : `saved are ${[...this.#saved].join(', ')}`
    this.#problem(path, `nothing is saved as '${name}': ${known}`)
  }

  #atEveryMoment(condition: object, path: readonly PropertyKey[]): void {
    for (const key of askedKeysOf(condition)) {
      this.#problem(
        [...path, key],
        "this condition needs a request, which takes time: use it with 'expect' or 'eventually'",
      )
    }
  }

  #problem(path: readonly PropertyKey[], message: string): void {
    this.problems.push({ place: this.#document.placeOf(path), message })
  }
}

/** The greatest of the numbers from which one is drawn. */
function mostOf(count: number | readonly number[]): number {
  return typeof count === 'number' ? count : Math.max(...count)
}

function numbered(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${letter}${at + 1}`)
}

/** `s1 to s3 and c1`. */
function rangeText(nodes: readonly string[]): string {
  const ranges = ['s', 'c'].flatMap((letter) => {
    const named = nodes.filter((node) => node.startsWith(letter))
    if (named.length === 0) return []
    return [named.length === 1 ? `${named[0]}` : `${named[0]} to ${named.at(-1)}`]
  })
  return ranges.join(' and ')
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
  const names = (scenario.steps ?? []).flatMap((step) =>
    Object.entries(step).flatMap(([key, given]) => (given === undefined ? [] : (stepKinds[key]?.saves(given) ?? []))),
  )
  return new Set([...names, ...Object.values(scenario.editors ?? {}).map(({ tokens }) => tokens)])
}
