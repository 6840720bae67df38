import { serverChannel, tokenOf } from './server.ts'
import { showSession } from './shown-session.tsx'

const root = document.querySelector('#page')
if (root !== null) {
  const channel = serverChannel(tokenOf(location, sessionStorage))
  showSession(root, channel, (lesson) => `svc-sim play --lesson ${lesson}`)
}
