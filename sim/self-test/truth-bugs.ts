import type { PlantedBug } from './planted-bug.ts'

const hunt = 'services-are-asked-for'

/** Bugs of answers about services, each of one way to ask. */
export const truthBugs: readonly PlantedBug[] = [
  {
    row: 155,
    name: 'maintained-nodes-pass',
    about: 'an instance passes although a check of its node does not',
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
    about: 'a node without the metadata that was asked for is in the answer all the same',
    patches: [
      { file: 'src/features/discovery/reads.js', find: 'if (given.length === 0)', replace: 'if (given.length >= 0)' },
    ],
    hunt,
    foundBy: ['E7'],
  },
  {
    row: 157,
    name: 'kept-for-good',
    about: 'an answer that an agent keeps is not kept fresh',
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
    about: 'users of an instance with an address of its own are sent to that of its node',
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
    about: 'an answer about instances in the mesh has all instances',
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
    about: 'an answer about checks in a state has those of nodes without the metadata that was asked for, too',
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
    about: 'an instance that warns has in DNS the weight of one that passes',
    patches: [
      {
        file: 'src/dns/records.js',
        find: 'const weight = warns ? service.weights.warning : service.weights.passing;',
        replace: 'const weight = service.weights.passing;',
      },
    ],
    hunt,
    foundBy: ['N1'],
  },
  {
    row: 244,
    name: 'no-word-of-edns',
    about: 'an answer of the own domain has no OPT record, whatever was asked',
    patches: [{ file: 'src/dns/answer.js', find: 'edns: true,', replace: 'edns: false,' }],
    hunt,
    foundBy: ['N1'],
  },
  {
    row: 245,
    name: 'questions-of-one-byte',
    about: 'of the length of a question over TCP the first byte is left out',
    patches: [
      { file: 'src/dns/listeners.js', find: 'const end = 2 + high * 256 + low;', replace: 'const end = 2 + low;' },
    ],
    hunt,
    foundBy: ['N1'],
  },
  {
    row: 246,
    name: 'cut-in-silence',
    about: 'an answer over UDP that is cut does not say so',
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
