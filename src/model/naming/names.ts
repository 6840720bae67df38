import { type Naming, namingNames, namingOf } from './naming.ts'

/** Every text that carries the product's name, derived from its naming. */

/** The service under which servers are listed, the role of servers in the pool, and the first label of metrics. */
export function serversService({ name }: Naming): string {
  return name
}

/** The role of a server in the pool, of either naming: which of them may join is judged at the join. */
export function isServerRole(role: string | undefined): boolean {
  return role !== undefined && namingOf(role) !== undefined
}

/** Domain that DNS answers for unless configured, with which trust domains end; without the final dot. */
export function defaultDomain({ name }: Naming): string {
  return name
}

/** Keys of metadata that begin with it are the program's own. */
export function reservedMetaPrefix({ name }: Naming): string {
  return `${name}-`
}

/** In the metadata of every node that an agent has registered as its own. Spec: CAT-008. */
export function segmentMetaKey(naming: Naming): string {
  return `${reservedMetaPrefix(naming)}network-segment`
}

/** `X-Svc-Index`, with the letters' case as the field has it. */
export function headerName(naming: string, suffix: string): string {
  return canonicalHeader(`x-${naming}-${suffix}`)
}

/** The first letter of each part upper, the rest lower. */
function canonicalHeader(name: string): string {
  return name
    .split('-')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1).toLowerCase())
    .join('-')
}

/** What an agent of either naming answers in this header; headers are in lower case. */
export function headerSaid(headers: ReadonlyMap<string, string>, suffix: string): string | undefined {
  return namingNames.map((name) => headers.get(`x-${name}-${suffix}`)).find((value) => value !== undefined)
}

/** `SVC_HTTP_ADDR` */
export function variableName({ name }: Pick<Naming, 'name'>, suffix: string): string {
  return `${name.toUpperCase()}_${suffix}`
}

/** The same variable of every product whose variables are read, the own first. */
export function variableNames({ variableFamilies }: Naming, suffix: string): readonly string[] {
  return variableFamilies.map((name) => variableName({ name }, suffix))
}

/**
 * Prefix of the names of clients' events in the pool: the field's under both namings, so that its agents and ours
 * understand each other's.
 */
export const userEventPrefix = 'consul:event:'

/** The provider that is built in, whatever naming the cluster has that stored its name. */
export function isBuiltInProvider(provider: string): boolean {
  return namingOf(provider) !== undefined
}

/** The name that is stored for a provider; empty: the built-in one. */
export function providerName({ name }: Naming, given: string): string {
  const wanted = given.toLowerCase()
  return wanted === '' || isBuiltInProvider(wanted) ? name : wanted
}
