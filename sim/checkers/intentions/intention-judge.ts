/**
 * Which service may connect to which, judged independently of the program: by a table of precedence, as the
 * documentation states it, without a sort order or a number. Reference: mesh.md#precedence. Ends are `namespace/name`,
 * with wildcards as an intention may have them; case is ignored.
 */

export interface SaidIntention {
  readonly source: string
  readonly destination: string
  readonly action: 'allow' | 'deny'
}

const kinds = ['exact', 'namespace', 'everything'] as const
const overruling = kinds.flatMap((destination) => kinds.map((source) => `${source} => ${destination}`))

function kindOf(place: string): (typeof kinds)[number] {
  if (place === '*/*') return 'everything'
  return place.endsWith('/*') ? 'namespace' : 'exact'
}

/** Whether an end of an intention matches a service. */
export function speaksOf(place: string, service: string): boolean {
  const [namespace, name] = place.toLowerCase().split('/')
  const [ofNamespace, ofName] = service.toLowerCase().split('/')
  return (namespace === '*' || namespace === ofNamespace) && (name === '*' || name === ofName)
}

/** The intention that decides whether one service may connect to another; undefined: none matches them. */
export function deciding<I extends SaidIntention>(
  all: readonly I[],
  source: string,
  destination: string,
): I | undefined {
  const speaking = all.filter((each) => speaksOf(each.source, source) && speaksOf(each.destination, destination))
  for (const rank of overruling) {
    const found = speaking.find((each) => `${kindOf(each.source)} => ${kindOf(each.destination)}` === rank)
    if (found !== undefined) return found
  }
  return undefined
}

/** Equal for all intentions of one pair. */
export function pairOf({ source, destination }: Omit<SaidIntention, 'action'>): string {
  return `${source} => ${destination}`.toLowerCase()
}
