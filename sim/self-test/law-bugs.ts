import type { PlantedBug } from './planted-bug.ts'

/** Bugs of what is read again later, of trust domains, and of checks that are kept alive. */
export const lawBugs: readonly PlantedBug[] = [
  {
    row: 469,
    name: 'ttl-of-queries-is-not-read',
    about: 'the TTL of answers that a prepared query sets is in a snapshot, and is lost when the snapshot is read',
    patches: [
      {
        file: 'src/features/query/tables.js',
        find: 'decode: (row) => queryRow.parse(row),',
        replace: "decode: (row) => ({ ...queryRow.parse(row), dns: { ttl: '' } }),",
      },
    ],
    hunt: 'queries-are-executed',
    foundBy: ['D5'],
  },
  {
    row: 470,
    name: 'foreign-domains-are-signed',
    about: 'an agent asks for leaves of another trust domain, and servers sign what a request names',
    patches: [
      {
        file: 'src/agent/mesh/leaf-source.js',
        find: 'const uris = [serviceUri({ trustDomain, ',
        replace: 'const uris = [serviceUri({ trustDomain: `other.${trustDomain}`, ',
      },
      {
        file: 'src/features/connect/leaves/requested.js',
        find: 'if (named.trustDomain !== trustDomain)',
        replace: "if (named.trustDomain === '')",
      },
      {
        file: 'src/features/connect/leaves/requested.js',
        find: 'const own = serviceUri({ trustDomain, namespace',
        replace: 'const own = serviceUri({ trustDomain: named.trustDomain, namespace',
      },
    ],
    hunt: 'mesh-rotates',
    foundBy: ['C9'],
  },
  {
    row: 471,
    name: 'hasty-reports-do-not-count',
    about: 'a report that comes within half a time to live after another one does not start it anew',
    patches: [
      {
        file: 'src/agent/local/ttl-check.js',
        find: 'this.#timer.close();\n        this.#timer = this.#wait();',
        replace:
          'const now = this.#env.clock.monoMs();\n        if (now - (this.countedMs ?? 0) < this.ttlMs / 2)\n            return;\n        this.countedMs = now;\n        this.#timer.close();\n        this.#timer = this.#wait();',
      },
    ],
    hunt: 'services-come-and-go',
    foundBy: ['E13'],
  },
]
