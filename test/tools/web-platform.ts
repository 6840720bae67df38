import { pump } from '../../sim/platform/drain.ts'
import { createWebPlatform, type WebMachine } from '../../sim/web/platform/platform.ts'
import type { Platform } from '../../sim/world/platform.ts'

/** A browser's thread with the event loop of Node: everything of it but `turns.ts`. */
export const webMachineOnNode: WebMachine = {
  pump: (step, pause) => pump(step, setImmediate, pause),
  onUnhandled: () => () => undefined,
}

export function webPlatformOnNode(): Platform {
  return createWebPlatform(webMachineOnNode)
}
