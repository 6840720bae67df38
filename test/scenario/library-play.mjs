import { createCluster } from 'svc/sim'

/** The same calls each time: what they see, and the hash of all that happened. */
export async function play(seed) {
  const c = await createCluster({ seed, servers: 3, clients: 1 })
  const seen = []
  const put = (node, value) => c.fetch(node, '/v1/kv/a', { method: 'PUT', body: value })
  const answers = await Promise.all([put('c1', 'one'), put('s2', 'two'), c.resolve('c1', 's1.node.svc')])
  seen.push(answers[0].status, answers[1].status, answers[2].answers[0]?.address)
  const { leader } = c
  c.partition(
    [leader],
    c.nodes.filter((node) => node !== leader),
  )
  await c.until(() => c.leader !== undefined && c.leader !== leader)
  // Work of the test itself, which takes as long as it takes: the world stands still meanwhile.
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
  c.heal()
  await c.advance('5s')
  const read = await c.fetch('c1', '/v1/kv/a?raw')
  seen.push(await read.text(), c.nowMs, c.leader)
  await c.close()
  return { seen, story: c.story(), hash: c.hash() }
}

if (process.argv[2] === 'play') process.stdout.write(JSON.stringify(await play(Number(process.argv[3]))))
