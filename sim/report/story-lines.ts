/** A line of the full story: its text, and its meaning, for people learning how clusters behave. */
export interface StoryLineMeaning {
  /** `subject`: the agent or thing that the line is about; `object`: the other one in it. */
  readonly text: (subject: string, object: string) => string
  readonly means: string
}

/** All lines of the full story, in the order of the page that explains it. */
export const storyLines = {
  asks: {
    text: (server, term) => `${server} asks whether it could win term ${term}`,
    means: 'Pre-vote: it has heard from no leader for a while, and raises no term before a majority would vote for it.',
  },
  stands: {
    text: (server, term) => `${server} stands for election in term ${term}`,
    means: 'It has raised the term, votes for itself, and asks the other servers for their votes.',
  },
  votes: {
    text: (server, whom) => `${server} votes for ${whom}`,
    means: 'A server has one vote in a term, and has written it to its disk before it answers.',
  },
  leads: {
    text: (server, term) => `${server} leads in term ${term}`,
    means: 'A majority of servers voted for it. It takes writes once an entry of its own term is committed.',
  },
  'steps down': {
    text: (server) => `${server} no longer leads`,
    means: 'It has heard of a later term, or has lost touch with a majority of servers.',
  },
  configured: {
    text: (server, suffrage) => `${server} becomes a ${suffrage} of the configuration`,
    means: 'Voters count towards majorities; a nonvoter takes entries and counts towards none.',
  },
  removed: {
    text: (server) => `${server} leaves the configuration`,
    means: 'By its own leave, by an operator, or by autopilot: it counts towards no majority any more.',
  },
  autopilot: {
    text: (server, change) => `${server}: autopilot has the configuration changed: ${change}`,
    means: 'The leader adds, promotes and removes servers by their health.',
  },
  joined: {
    text: (member, believer) => `${member} is seen alive, first by ${believer}`,
    means: 'Gossip brings news of an agent that was unknown, or counted as failed or gone.',
  },
  suspected: {
    text: (member, believer) => `${member} is suspected, first by ${believer}`,
    means: 'A probe was not answered, neither directly nor by way of others. The member has time to refute it.',
  },
  refuted: {
    text: (member, believer) => `${member} refutes the suspicion, as ${believer} hears first`,
    means: 'It has heard that it is suspected, and answers with a higher incarnation.',
  },
  failed: {
    text: (member, believer) => `${member} counts as failed, first for ${believer}`,
    means: 'Nobody refuted the suspicion in time. Its health check becomes critical.',
  },
  left: {
    text: (member, believer) => `${member} has left, as ${believer} hears first`,
    means: 'It said so before it went, so nobody waits for it and no suspicion is needed.',
  },
  forgotten: {
    text: (member, believer) => `${member} is forgotten, first by ${believer}`,
    means: 'It was gone for longer than members are kept.',
  },
  synced: {
    text: (agent, service) => `${agent} has its service ${service} in the catalog`,
    means: 'Anti-entropy: the agent compares what it runs with the catalog, and writes what differs.',
  },
  'new mode': {
    text: (datacenter) => `access control of ${datacenter} is in its new mode`,
    means: 'Every server knows policies, so tokens are judged by them from here on.',
  },
  rotation: {
    text: (datacenter, step) => `the rotation of the root in ${datacenter}: ${step}`,
    means: 'A new root replaces the old one in steps, so that at each moment every certificate is trusted.',
  },
  root: {
    text: (root) => `the root ${root} is listed`,
    means: 'Agents trust certificates under it.',
  },
  'root active': {
    text: (root) => `the root ${root} is active`,
    means: 'New certificates are signed under it.',
  },
  'root gone': {
    text: (root) => `the root ${root} is dropped`,
    means: 'The last certificate under it has expired.',
  },
  locked: {
    text: (lock) => `${lock}: locked`,
    means: 'A session holds the key; other sessions wait, or fail to acquire it.',
  },
  unlocked: {
    text: (lock) => `${lock}: released`,
    means: 'The session released the key, or ended.',
  },
} as const satisfies Readonly<Record<string, StoryLineMeaning>>

export type StoryLineKind = keyof typeof storyLines
