import type { PlantedBug } from './planted-bug.ts'

const hunt = 'services-are-asked-for'

/** Bugs of DNS beyond the names of services and nodes. */
export const nameBugs: readonly PlantedBug[] = [
  {
    row: 376,
    name: 'addresses-of-nodes-alone',
    about: 'the address of an instance whose node has another one has no name in DNS',
    patches: [
      {
        file: 'src/dns/reverse-answers.js',
        find: 'return service.ok && service.value !== undefined',
        replace: 'return service.ok && service.value === undefined',
      },
    ],
    hunt,
    foundBy: ['N1'],
  },
  {
    row: 377,
    name: 'shortest-beginning-wins',
    about: 'of the times to live that fit the beginning of a service name, the one of the shortest beginning holds',
    patches: [
      {
        file: 'src/dns/records.js',
        find: 'prefix.length > best.length',
        replace: 'prefix.length < best.length',
      },
    ],
    hunt,
    foundBy: ['N1'],
  },
  {
    row: 378,
    name: 'servers-without-addresses',
    about: 'the answer to a question for the servers of a domain lacks their addresses',
    patches: [
      {
        file: 'src/dns/domain-answers.js',
        find: 'additionals.push(...(await this.#addresses.to(asked, address)));',
        replace: '',
      },
    ],
    hunt,
    foundBy: ['N1'],
  },
  {
    row: 379,
    name: 'own-number-goes-back',
    about: 'an answer that an agent has asked another server for goes back under the number of its own question',
    patches: [
      {
        file: 'src/dns/recursion.js',
        find: 'numbered(reply, uint16(packet, 0))',
        replace: 'reply',
      },
    ],
    hunt,
    foundBy: ['N1'],
  },
  {
    row: 420,
    name: 'three-underscores-are-two',
    about: 'a name of any number of labels that begins with two underscores is one of a service and a protocol',
    patches: [
      {
        file: 'src/dns/asked.js',
        find: "labels.length === 2 && first?.startsWith('_') === true",
        replace: "first?.startsWith('_') === true",
      },
    ],
    hunt,
    foundBy: ['N1'],
  },
  {
    row: 421,
    name: 'digits-share-a-label',
    about: 'the reverse name of an IPv6 address may have several of its digits in one label',
    patches: [
      {
        file: 'src/dns/reverse-answers.js',
        find: 'nibbles.length !== 32 || nibbles.some((nibble) => nibble.length !== 1)',
        replace: 'nibbles.length > 32',
      },
    ],
    hunt,
    foundBy: ['N1'],
  },
  {
    row: 460,
    name: 'kept-under-its-number',
    about: 'an answer that an agent has kept is given again under the number of the first question',
    patches: [{ file: 'src/dns/signature.js', find: 'out[1] = packet[1] ?? 0;', replace: '' }],
    hunt: 'names-in-outages',
    foundBy: ['N1'],
  },
  {
    row: 461,
    name: 'ended-before-answered',
    about: 'a DNS connection is ended as soon as its client has sent all, whatever is not answered yet',
    patches: [
      {
        file: 'src/dns/streams.js',
        find: 'if (this.#ended && this.#inFlight === 0 && !this.#blocked)',
        replace: 'if (this.#ended)',
      },
    ],
    hunt: 'names-in-outages',
    foundBy: ['N1'],
  },
  {
    row: 462,
    name: 'pieces-are-messages',
    about: 'a message of a DNS connection that comes in pieces is answered by its first piece',
    patches: [
      {
        file: 'src/dns/streams.js',
        find: 'if (this.#pending.length < end)',
        replace: 'if (this.#pending.length < 3)',
      },
    ],
    hunt: 'names-in-outages',
    foundBy: ['N1', 'N2'],
  },
  {
    row: 473,
    name: 'any-number-is-an-answer',
    about: 'a datagram of a recursor is taken for the answer to a question under another number',
    patches: [
      {
        file: 'src/dns/exchange.js',
        find: 'bytes[0] !== packet[0] || bytes[1] !== packet[1] || ',
        replace: '',
      },
    ],
    hunt: 'recursors-fail',
    foundBy: ['N3'],
  },
  {
    row: 474,
    name: 'first-recursor-decides',
    about: 'the failure of a recursor is forwarded to the client, and the other recursors are not asked',
    patches: [{ file: 'src/dns/recursion.js', find: '!this.#inTurn)', replace: 'true)' }],
    hunt: 'recursors-fail',
    foundBy: ['N3'],
  },
  {
    row: 475,
    name: 'unreadable-answers-pass',
    about: 'an answer of a recursor that cannot be read to its end is forwarded to the client',
    patches: [{ file: 'src/dns/recursion.js', find: '(isReadable(bytes) ? bytes : undefined)', replace: 'bytes' }],
    hunt: 'recursors-fail',
    foundBy: ['N3'],
  },
  {
    row: 479,
    name: 'first-piece-decides',
    about: 'the first piece of an answer that a recursor sends over TCP is taken for the whole',
    patches: [
      {
        file: 'src/dns/exchange.js',
        find: 'if (received.length < 2 || received.length < 2 + length)',
        replace: 'if (false)',
      },
    ],
    hunt: 'recursors-fail',
    foundBy: ['N3'],
  },
  {
    row: 480,
    name: 'more-than-a-client-takes',
    about: 'an answer over UDP to a client without EDNS may have 1,024 bytes',
    patches: [{ file: 'src/dns/answer.js', find: 'plainUdpBytes = 512', replace: 'plainUdpBytes = 1024' }],
    hunt: 'services-are-asked-for',
    foundBy: ['N1'],
  },
]
