/** Where in the interface the operator is: the part of the address behind `#`. */
export interface Place {
  /** The page, then what it is about: `['services', 'web']`. */
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

export const pageNames = [
  'services',
  'nodes',
  'keys',
  'sessions',
  'queries',
  'intentions',
  'access',
  'cluster',
  'authority',
  'happenings',
] as const

export type PageName = (typeof pageNames)[number]

/** `#/services/web?filter=…`. What is no page keeps its path, so that the operator is told. */
export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  try {
    const segments = path.split('/').map(decodeURIComponent)
    return { path: path === '' ? ['services'] : segments, query: Object.fromEntries(new URLSearchParams(query)) }
  } catch {
    return { path: [path], query: {} }
  }
}

export function hashOf({ path, query }: Place): string {
  const kept = Object.entries(query).filter(([, value]) => value !== '')
  const asked = kept.length === 0 ? '' : `?${new URLSearchParams(kept)}`
  return `#/${path.map(encodeURIComponent).join('/')}${asked}`
}

/** A link to a page, and to what it shows there. */
export function hrefOf(page: PageName, ...path: readonly string[]): string {
  return hashOf({ path: [page, ...path], query: {} })
}

/**
 * The place that an address of the field's own interface means, such as `dc1/services/web` or `dc1/kv/a/b/edit`, below
 * the page's own address; undefined: it means none.
 */
export function placeOfOtherAddress(path: string): OtherAddress | undefined {
  const [datacenter, kind = '', ...rest] = decoded(path) ?? []
  const inner = rest.filter((each) => each !== '')
  const page = otherPages.get(kind)
  if (page === undefined || datacenter === undefined) return undefined
  if (page === 'keys') return { datacenter, place: { path: keysPath(inner), query: {} } }
  return { datacenter, place: { path: [page, ...inner.slice(0, page === 'access' ? 0 : 1)], query: {} } }
}

interface OtherAddress {
  readonly datacenter: string
  readonly place: Place
}

const otherPages: ReadonlyMap<string, PageName> = new Map([
  ['services', 'services'],
  ['nodes', 'nodes'],
  ['kv', 'keys'],
  ['intentions', 'intentions'],
  ['acls', 'access'],
])

function keysPath(segments: readonly string[]): readonly string[] {
  if (segments.at(-1) === 'edit') return ['keys', 'key', segments.slice(0, -1).join('/')]
  return segments.length === 0 ? ['keys'] : ['keys', 'below', `${segments.join('/')}/`]
}

function decoded(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}
