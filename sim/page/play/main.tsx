import { serverChannel, tokenOf } from './server.ts'
import { showSession } from './shown-session.tsx'

const root = document.querySelector('#page')
if (root !== null) showSession(root, serverChannel(tokenOf(location, sessionStorage)))
