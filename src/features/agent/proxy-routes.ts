import { textOfByteString } from '../../base/bytes.ts'
import { declared } from '../declared.ts'
import { textAnswer } from '../declared-answers.ts'
import type { Route } from '../manifest.ts'
import { failed } from '../responses.ts'

/** Proxies that an agent starts by itself, of old: this one starts none, and so knows none. Reference: HTTP API 4.3. */
export const proxyRoutes: readonly Route[] = [
  {
    path: '/v1/agent/connect/proxy/',
    since: 'mesh',
    rest: { name: 'proxy', about: 'ID of a proxy that the agent has started.' },
    operations: {
      GET: declared({
        summary: 'How a proxy that this agent has started is to be run',
        access: { open: 'there is no such proxy, which is all that is told' },
        answers: [textAnswer(404, 'This agent starts no proxies.')],
        handle: async (_agent, { rest }) =>
          failed({ kind: 'not-found', message: `unknown proxy service ID: ${textOfByteString(rest)}` }),
      }),
    },
  },
]
