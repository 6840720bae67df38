import { type Judge, law } from '../checker.ts'
import type { SeenCertificate, SeenLeaf } from './mesh-facts.ts'

/**
 * C9. A leaf names the trust domain of the root below which it stands, and so does each certificate between them that
 * names one. A verifier that only follows signatures would accept a service of another mesh, and one that compares
 * domains would refuse its own. Reference: mesh.md#spiffe-service.
 */
export class MeshDomains {
  readonly #judge: Judge<{ C9: 'nameless root' }>

  constructor(judge: Judge<{ C9: 'nameless root' }>) {
    this.#judge = judge
  }

  /** An agent delivered a leaf. `root`: the one that has signed it, or the authority that did; undefined: unknown. */
  given({ holder, certificate, between }: SeenLeaf, root: SeenCertificate | undefined): void {
    if (root === undefined) return
    const domains = certificate.uris.map(domainIn)
    const above = [root, ...between.filter((each) => each.identity !== root.identity)]
    const named = above.filter(({ uris }) => uris.length > 0)
    if (!named.includes(root)) this.#judge.excused('C9', 'nameless root')
    for (const { uris, name, serial } of named) {
      this.#judge.judged('C9')
      const own = uris.map(domainIn)
      if (domains.length > 0 && domains.every((domain) => own.includes(domain))) continue
      const text = `leaf ${certificate.serial} of ${holder} is of ${textOf(domains)}`
      this.#judge.report('C9', `${text}, and stands below ${name}, serial ${serial}, of ${textOf(own)}`)
    }
  }
}

/** The trust domain in the URI of a service or an authority; another text for a URI of another form. */
function domainIn(uri: string): string {
  return /^spiffe:\/\/([^/]+)/.exec(uri)?.[1]?.toLowerCase() ?? uri
}

function textOf(domains: readonly string[]): string {
  return domains.join(' and ') || 'no trust domain'
}

export const meshDomains = law(
  {
    C9: {
      text: 'trust domains: a leaf names the trust domain of the root below which it stands, as does all between them',
      sources: ['docs/reference/mesh.md#spiffe-service'],
      evidence: ['authority', 'requests', 'forwards'],
      judges: ['leaf and certificate above it', 'leaves and certificates above them'],
      excuses: {
        'nameless root': 'A root of an external authority may name no trust domain; as long as it has none.',
      },
    },
  },
  (judge) => new MeshDomains(judge),
)
