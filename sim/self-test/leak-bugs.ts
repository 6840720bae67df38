import type { PlantedBug } from './planted-bug.ts'

const hunt = 'things-are-given-back'

/** What is opened and not given back. */
export const leakBugs: readonly PlantedBug[] = [
  {
    row: 351,
    name: 'written-snapshot-stays-open',
    about: 'the file of a snapshot that was written is not closed',
    patches: [
      {
        file: 'src/raft/log/snapshot-store.js',
        find: 'await file.value.close();\n        const placed',
        replace: 'const placed',
      },
    ],
    hunt,
    foundBy: ['P4'],
  },
  {
    row: 352,
    name: 'received-snapshot-stays-open',
    about: 'the file of a snapshot that was received is not closed',
    patches: [
      {
        file: 'src/raft/log/snapshot-receiving.js',
        find: 'await file.close();\n        this.#transfer = undefined;',
        replace: 'this.#transfer = undefined;',
      },
    ],
    hunt,
    foundBy: ['P4'],
  },
  {
    row: 353,
    name: 'exchange-stays-open',
    about: 'a connection over which members have exchanged their states is not closed where it was begun',
    patches: [
      { file: 'src/gossip/driver/streams.js', find: 'framed.end();', replace: '' },
      {
        file: 'src/gossip/driver/framed-stream.js',
        find: 'env.timers.after(deadlineMs,',
        replace: 'env.timers.after(86_400_000,',
      },
    ],
    hunt,
    foundBy: ['P4'],
  },
  {
    row: 354,
    name: 'stopped-and-still-listening',
    about: 'an agent that is stopped leaves its HTTP and DNS listeners open',
    patches: [
      {
        file: 'src/program/start.js',
        find: 'await proxies.stop();\n        closeFaces();',
        replace: 'await proxies.stop();',
      },
    ],
    hunt,
    foundBy: ['P4'],
  },
  {
    row: 394,
    name: 'limits-outlive-the-end',
    about: 'the limit of time for the end of an agent stays armed when the agent has ended',
    patches: [{ file: 'src/cli/running/agent-end.js', find: 'ending.close();', replace: '' }],
    hunt,
    foundBy: ['P4'],
  },
  {
    row: 395,
    name: 'held-beyond-the-stop',
    about: 'a request whose attempt was ended by the stop of the agent waits for another attempt',
    patches: [
      {
        file: 'src/agent/requests/asking/holding.js',
        find: 'if (!this.#stopped)',
        replace: 'if (true)',
      },
    ],
    hunt,
    foundBy: ['P4'],
  },
  {
    row: 396,
    name: 'compares-beyond-the-stop',
    about: 'the next comparison with the catalog stays due when the agent has stopped',
    patches: [{ file: 'src/agent/local/anti-entropy.js', find: 'this.#pace.stop();', replace: '' }],
    hunt,
    foundBy: ['P4'],
  },
  {
    row: 433,
    name: 'a-timer-for-each-delay',
    about: 'a leader begins another timer for each lock delay, and a server that stops closes the last one',
    patches: [
      {
        file: 'src/features/kv/lock-delays.js',
        find: 'if (this.#closed || this.#timer !== undefined ||',
        replace: 'if (this.#closed ||',
      },
    ],
    hunt,
    foundBy: ['P4'],
  },
]
