import type { PlantedBug } from './planted-bug.ts'

const hunt = 'agents-are-watched'

/** Bugs of what agents send of their metrics and logs. */
export const telemetryBugs: readonly PlantedBug[] = [
  {
    row: 455,
    name: 'one-line-of-each-datagram',
    about: 'the line of metrics that does not fit into a datagram any more is in none',
    patches: [
      {
        file: 'src/agent/telemetry/line-senders.js',
        find: "socket.send(to, utf8(datagram));\n            datagram = '';",
        replace: "socket.send(to, utf8(datagram));\n            datagram = '';\n            continue;",
      },
    ],
    hunt,
    foundBy: ['O4'],
  },
  {
    row: 456,
    name: 'last-lines-stay',
    about: 'an agent that stops in order does not wait for the last lines of its log to be sent to syslog',
    patches: [
      {
        file: 'src/agent/syslog/syslog.js',
        find: 'while (this.#waiting.length > 0 && this.#failures === 0)\n            await this.#carry();',
        replace: '',
      },
    ],
    hunt,
    foundBy: ['O5'],
  },
]
