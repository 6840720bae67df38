import type { PlantedBug } from './planted-bug.ts'

const hunt = 'services-are-asked-for'

/** Bugs of answers about services, each of one way to ask. */
export const truthBugs: readonly PlantedBug[] = [
  {
    row: 155,
    name: 'maintained-nodes-pass',
    about: 'an instance counts as passing although a check of its node does not',
    patches: [
      {
        file: 'src/features/health/model.js',
        find: "return checks.every(({ status }) => status === 'passing');",
        replace: "return checks.every(({ status, serviceId }) => status === 'passing' || serviceId === '');",
      },
    ],
    hunt,
    foundBy: ['E2', 'E7'],
  },
  {
    row: 156,
    name: 'any-metadata-will-do',
    about: 'an answer contains a node without the requested metadata',
    patches: [
      { file: 'src/features/discovery/reads.js', find: 'if (given.length === 0)', replace: 'if (given.length >= 0)' },
    ],
    hunt,
    foundBy: ['E7'],
  },
  {
    row: 157,
    name: 'kept-for-good',
    about: 'a cached answer of an agent is not refreshed when it changes',
    patches: [
      {
        file: 'src/agent/requests/asking/answer-cache.js',
        find: 'this.#calls.query(endpoint, args, { ...read, minIndex }, { ...options, token });',
        replace:
          'this.#calls.query(endpoint, args, { ...read, minIndex: minIndex + 10_000_000 }, { ...options, token });',
      },
    ],
    hunt,
    foundBy: ['E7'],
  },
  {
    row: 240,
    name: 'all-at-their-nodes',
    about: 'an instance with an address of its own is reported with the address of its node',
    patches: [
      {
        file: 'src/features/health/model.js',
        find: "Address: service.address === '' ? node.address : service.address,",
        replace: 'Address: node.address,',
      },
    ],
    hunt,
    foundBy: ['E7'],
  },
  {
    row: 241,
    name: 'mesh-or-not',
    about: 'a request for the instances in the mesh returns all instances',
    patches: [
      {
        file: 'src/features/health/routes.js',
        find: 'instancesAsked(context, request.query, service, connect)',
        replace: 'instancesAsked(context, request.query, service, false)',
      },
    ],
    hunt,
    foundBy: ['E7'],
  },
  {
    row: 242,
    name: 'states-of-any-node',
    about: 'a list of checks in a state includes checks of nodes without the requested metadata',
    patches: [
      {
        file: 'src/features/health/endpoint.js',
        find: 'value: nearestFirst(tx, place, onNodesWith(tx, checks, wanted), ({ node }) => node) };\n    },\n};\nfunction checksAsked',
        replace:
          'value: nearestFirst(tx, place, onNodesWith(tx, checks, undefined), ({ node }) => node) };\n    },\n};\nfunction checksAsked',
      },
    ],
    hunt,
    foundBy: ['E7'],
  },
  {
    row: 243,
    name: 'weights-of-the-well',
    about: 'in DNS an instance in the state warning has the weight of a passing one',
    patches: [
      {
        file: 'src/dns/records.js',
        find: "const weight = checks.some(({ status }) => status === 'warning') ? warning : passing;",
        replace: 'const weight = passing;',
      },
    ],
    hunt,
    foundBy: ['N1'],
  },
  {
    row: 244,
    name: 'no-word-of-edns',
    about: 'DNS answers for the own domain of the agent never have an OPT record',
    patches: [{ file: 'src/dns/answer.js', find: 'edns: true,', replace: 'edns: false,' }],
    hunt,
    foundBy: ['N1'],
  },
  {
    row: 245,
    name: 'questions-of-one-byte',
    about: 'the first byte of the length of a DNS query over TCP is ignored',
    patches: [
      { file: 'src/dns/streams.js', find: 'const end = 2 + high * 256 + low;', replace: 'const end = 2 + low;' },
    ],
    hunt,
    foundBy: ['N1'],
  },
  {
    row: 246,
    name: 'cut-in-silence',
    about: 'a truncated DNS answer over UDP does not have the truncation flag',
    patches: [
      {
        file: 'src/dns-wire/encode-response.js',
        find: 'const truncated = limits.markTruncated && fitting.answers.length < whole.answers.length;',
        replace: 'const truncated = false;',
      },
    ],
    hunt,
    foundBy: ['N1'],
  },
]
