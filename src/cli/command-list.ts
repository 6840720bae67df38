import { compareText } from '../base/bytes.ts'
import type { CliCommand, CommandTree } from './command.ts'
import {
  bootstrapCommand,
  explainCommand,
  setAgentTokenCommand,
  statusCommand,
  translateRulesCommand,
} from './commands/acl.ts'
import {
  createPolicyCommand,
  deletePolicyCommand,
  listPoliciesCommand,
  readPolicyCommand,
  updatePolicyCommand,
} from './commands/acl-policies.ts'
import {
  cloneTokenCommand,
  createTokenCommand,
  deleteTokenCommand,
  listTokensCommand,
  readTokenCommand,
  updateTokenCommand,
} from './commands/acl-tokens.ts'
import { agentCommand, infoCommand, reloadCommand, versionCommand } from './commands/agent.ts'
import { getAutopilotCommand, setAutopilotCommand } from './commands/autopilot.ts'
import { datacentersCommand, nodesCommand, servicesCommand } from './commands/catalog.ts'
import { completionCommand } from './commands/completion.ts'
import { envoyCommand, forecastAuthorityCommand, getAuthorityCommand, setAuthorityCommand } from './commands/connect.ts'
import { proxyCommand } from './commands/connect-proxy.ts'
import { debugCommand } from './commands/debug.ts'
import { eventCommand } from './commands/event.ts'
import { execCommand } from './commands/exec.ts'
import {
  checkIntentionCommand,
  createIntentionCommand,
  deleteIntentionCommand,
  getIntentionCommand,
  matchIntentionCommand,
} from './commands/intention.ts'
import { keygenCommand, keyringCommand } from './commands/keyring.ts'
import { kvDeleteCommand, kvGetCommand, kvPutCommand } from './commands/kv.ts'
import { kvExportCommand, kvImportCommand } from './commands/kv-transfer.ts'
import { lockCommand } from './commands/lock.ts'
import { maintCommand } from './commands/maint.ts'
import { forceLeaveCommand, joinCommand, leaveCommand, membersCommand } from './commands/members.ts'
import { monitorCommand } from './commands/monitor.ts'
import { operatorCheckCommand } from './commands/operator-check.ts'
import { listPeersCommand, removePeerCommand, transferLeaderCommand } from './commands/raft.ts'
import { rttCommand } from './commands/rtt.ts'
import { deregisterCommand, registerCommand } from './commands/services.ts'
import { inspectSnapshotCommand, restoreSnapshotCommand, saveSnapshotCommand } from './commands/snapshot.ts'
import { tlsAuthorityCommand, tlsCertificateCommand } from './commands/tls.ts'
import { upgradeCheckCommand } from './commands/upgrade.ts'
import { validateCommand } from './commands/validate.ts'
import { watchCommand } from './commands/watch.ts'
import { forceFlag } from './guards/guard.ts'

const listed: readonly CliCommand[] = [
  bootstrapCommand,
  explainCommand,
  createPolicyCommand,
  deletePolicyCommand,
  listPoliciesCommand,
  readPolicyCommand,
  updatePolicyCommand,
  setAgentTokenCommand,
  statusCommand,
  cloneTokenCommand,
  createTokenCommand,
  deleteTokenCommand,
  listTokensCommand,
  readTokenCommand,
  updateTokenCommand,
  translateRulesCommand,
  agentCommand,
  datacentersCommand,
  nodesCommand,
  servicesCommand,
  forecastAuthorityCommand,
  getAuthorityCommand,
  setAuthorityCommand,
  envoyCommand,
  proxyCommand,
  debugCommand,
  eventCommand,
  execCommand,
  forceLeaveCommand,
  infoCommand,
  checkIntentionCommand,
  createIntentionCommand,
  deleteIntentionCommand,
  getIntentionCommand,
  matchIntentionCommand,
  joinCommand,
  keygenCommand,
  keyringCommand,
  kvDeleteCommand,
  kvExportCommand,
  kvGetCommand,
  kvImportCommand,
  kvPutCommand,
  leaveCommand,
  lockCommand,
  maintCommand,
  membersCommand,
  monitorCommand,
  getAutopilotCommand,
  setAutopilotCommand,
  operatorCheckCommand,
  listPeersCommand,
  removePeerCommand,
  transferLeaderCommand,
  reloadCommand,
  rttCommand,
  deregisterCommand,
  registerCommand,
  inspectSnapshotCommand,
  restoreSnapshotCommand,
  saveSnapshotCommand,
  tlsAuthorityCommand,
  tlsCertificateCommand,
  upgradeCheckCommand,
  validateCommand,
  versionCommand,
  watchCommand,
]

const groups: Readonly<Record<string, string>> = {
  acl: 'Interact with access control',
  'acl policy': 'Interact with ACL policies',
  'acl token': 'Interact with ACL tokens',
  catalog: 'Interact with the catalog',
  connect: 'Interact with the mesh and its certificate authority',
  'connect ca': 'Interact with the certificate authority of the mesh',
  intention: 'Interact with intentions, which say which services may connect to each other',
  kv: 'Interact with the key-value store',
  operator: 'Provides cluster-level tools for operators',
  'operator autopilot': 'Provides tools for modifying Autopilot configuration',
  'operator raft': 'Provides cluster-level tools for the Raft subsystem',
  'operator upgrade': 'Helps to upgrade the cluster to another release',
  services: 'Interact with services',
  snapshot: 'Saves, restores and inspects snapshots of the state of the servers',
  tls: 'Makes certificates for the agents of a cluster',
  'tls ca': 'Makes the authority that signs them',
  'tls cert': 'Makes certificates that it has signed',
}

/** Every command of `svc`: the parser, the help, the completion of shells and the manual page are made from this. */
export const commandTree: CommandTree = {
  commands: [...listed, completionCommand(() => commandTree)]
    .map(withForce)
    .sort((a, b) => compareText(a.path.join(' '), b.path.join(' '))),
  groups,
}

function withForce(command: CliCommand): CliCommand {
  return command.guard === undefined ? command : { ...command, flags: [forceFlag, ...command.flags] }
}
