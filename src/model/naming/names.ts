import { type Naming, namingNames, namingOf, svcNaming } from './naming.ts'

/** Every text that carries the product's name, derived from its naming. */

/** The service under which servers are listed, the role of servers in the pool, and the first label of metrics. */
export function serversService({ name }: Naming): string {
  return name
}

/** The role of a server in the pool, under either naming; whether it may join is decided at the join. */
export function isServerRole(role: string | undefined): boolean {
  return role !== undefined && namingOf(role) !== undefined
}

/** The role of client agents in the pool, the same under both namings. */
export const clientRole = 'node'

/**
 * Tags that show a client agent's naming, because its role does not. The program's own naming needs none: an agent
 * without the tag has it, as every agent of an earlier build does.
 */
export function clientNamingTags({ name }: Naming): { readonly names?: string } {
  return name === svcNaming.name ? {} : { names: name }
}

/** The naming of a member; undefined: it is no agent of this product, or its naming is unknown. */
export function namingOfMember(tags: Readonly<Record<string, string>>): string | undefined {
  const { role, names } = tags
  if (role === clientRole) return names ?? svcNaming.name
  return isServerRole(role) ? role : undefined
}

/** The domain that DNS answers for by default, and in which trust domains end; without the final dot. */
export function defaultDomain({ name }: Naming): string {
  return name
}

/** Prefix of the metadata keys that are reserved for the program. */
export function reservedMetaPrefix({ name }: Naming): string {
  return `${name}-`
}

/** The key in the metadata of every node that an agent has registered as its own. Spec: CAT-008. */
export function segmentMetaKey(naming: Naming): string {
  return `${reservedMetaPrefix(naming)}network-segment`
}

/** `X-Svc-Index`, with the letters' case as the field has it. */
export function headerName(naming: string, suffix: string): string {
  return canonicalHeader(`x-${naming}-${suffix}`)
}

/** Each part with its first letter in upper case and the rest in lower case. */
function canonicalHeader(name: string): string {
  return name
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase())
    .join('-')
}

/** The value of this header from an agent of either naming; headers are in lower case. */
export function headerSaid(headers: ReadonlyMap<string, string>, suffix: string): string | undefined {
  return namingNames.map((name) => headers.get(`x-${name}-${suffix}`)).find((value) => value !== undefined)
}

/** `SVC_HTTP_ADDR` */
export function variableName({ name }: Pick<Naming, 'name'>, suffix: string): string {
  return `${name.toUpperCase()}_${suffix}`
}

/** The variable's value under the naming and under each alias that is a naming, the own one first. */
export function variableNames({ naming, aliases }: ProductNames, suffix: string): readonly string[] {
  const families = [naming.name, ...namingNames.filter((name) => name !== naming.name && isAlias(aliases, name))]
  return families.map((name) => variableName({ name }, suffix))
}

/** All names that an agent uses. */
export interface ProductNames {
  readonly naming: Naming
  /** The setting `aliases`, as it was written. */
  readonly aliases: readonly string[]
}

function isAlias(aliases: readonly string[], name: string): boolean {
  return aliases.some((alias) => alias.toLowerCase() === name)
}

/** A value that a caller or a file gives for the product's name: an alias counts as the product's own name. */
export function ownNameFor(given: string, { naming, aliases }: ProductNames): string {
  return isAlias(aliases, given) ? naming.name : given
}

/**
 * Prefix of the names of clients' events in the pool: the field's under both namings, so that its agents and ours
 * understand each other's.
 */
export const userEventPrefix = 'consul:event:'

/** The name of the built-in provider, whatever the naming of the cluster that stored it. */
export function isBuiltInProvider(provider: string): boolean {
  return namingOf(provider) !== undefined
}

/**
 * The name of a provider in lower case, without regard to naming. Undefined: the built-in provider under a name that is
 * neither the own one nor an alias.
 */
export function providerAskedFor(given: string, names: ProductNames): string | undefined {
  const wanted = ownNameFor(given.toLowerCase(), names)
  return wanted !== names.naming.name && isBuiltInProvider(wanted) ? undefined : wanted
}

/** The name that is stored for a provider; empty: the built-in one. */
export function providerName({ name }: Naming, given: string): string {
  const wanted = given.toLowerCase()
  return wanted === '' || isBuiltInProvider(wanted) ? name : wanted
}
