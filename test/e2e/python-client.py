"""Flows of a client of the field that knows nothing of this product: Debian's python3-consul. Argument: the HTTP port."""

import sys
import threading

import consul
import requests

c = consul.Consul(host='127.0.0.1', port=int(sys.argv[1]))
others = consul.Consul(host='127.0.0.1', port=int(sys.argv[1]), consistency='stale')


def eventually(what, ask):
    index = None
    for _ in range(50):
        index, value = ask(index)
        if value:
            return value
    raise AssertionError(what)


def put(path):
    """Where this client still asks with GET, as was right before release 1.0, the field's newer agents refuse it, and so do we."""
    return requests.put('http://127.0.0.1:' + sys.argv[1] + path, timeout=30).status_code == 200


def status():
    assert c.status.leader().endswith(':' + sys.argv[2]), c.status.leader()
    assert c.status.peers() == [c.status.leader()]


def agent():
    assert c.agent.self()['Member']['Name'] == 'n1'
    assert [member['Name'] for member in c.agent.members()] == ['n1']
    assert c.agent.service.register(
        'web', service_id='web-1', port=8080, tags=['v1', 'blue'], check=consul.Check.ttl('60s')
    )
    assert c.agent.services()['web-1']['Tags'] == ['v1', 'blue']
    assert c.agent.check.ttl_pass('service:web-1', 'well') is False
    assert put('/v1/agent/check/pass/service:web-1?note=well')
    assert c.agent.checks()['service:web-1']['Output'] == 'well'
    assert c.agent.check.register('disk', consul.Check.ttl('30s'), check_id='disk')
    assert put('/v1/agent/check/warn/disk')
    assert c.agent.checks()['disk']['Status'] == 'warning'
    assert put('/v1/agent/check/deregister/disk')
    assert c.agent.maintenance(True, 'by hand')
    assert '_node_maintenance' in c.agent.checks()
    assert c.agent.maintenance(False)


def catalog():
    web = eventually('web is in the catalog', lambda index: c.catalog.service('web', index=index, wait='2s'))
    assert [(one['Node'], one['ServicePort']) for one in web] == [('n1', 8080)]
    assert c.catalog.register('ext', '10.9.9.9', service={'Service': 'db', 'Port': 5432, 'Tags': ['master']})
    assert 'ext' in [node['Node'] for node in c.catalog.nodes()[1]]
    assert c.catalog.services()[1]['db'] == ['master']
    assert c.catalog.node('ext')[1]['Services']['db']['Port'] == 5432
    assert c.catalog.service('db', tag='slave')[1] == []
    assert c.catalog.datacenters() == ['dc1']
    assert c.catalog.deregister('ext')
    assert c.catalog.node('ext')[1] is None


def health():
    passing = eventually(
        'web passes', lambda index: c.health.service('web', passing=True, tag='blue', index=index, wait='2s')
    )
    assert passing[0]['Service']['ID'] == 'web-1'
    assert 'serfHealth' in [check['CheckID'] for check in c.health.node('n1')[1]]
    assert [check['CheckID'] for check in c.health.checks('web')[1]] == ['service:web-1']
    assert c.health.state('critical')[1] == []


def keys():
    assert c.kv.get('absent')[1] is None
    assert c.kv.put('app/a', 'one', flags=7)
    index, value = c.kv.get('app/a')
    assert (value['Value'], value['Flags'], value['Key']) == (b'one', 7, 'app/a')
    assert c.kv.put('app/a', 'two', cas=0) is False
    assert c.kv.put('app/a', 'two', cas=value['ModifyIndex']) is True
    assert c.kv.put('app/b', '')
    assert [one['Key'] for one in c.kv.get('app/', recurse=True)[1]] == ['app/a', 'app/b']
    assert c.kv.get('app', keys=True, separator='/')[1] == ['app/']
    assert others.kv.get('app/a')[1]['Value'] == b'two'
    heard = []
    index, _ = c.kv.get('app/a')
    waiting = threading.Thread(target=lambda: heard.append(c.kv.get('app/a', index=index, wait='60s')))
    waiting.start()
    assert c.kv.put('app/a', 'three')
    waiting.join(30)
    assert heard[0][1]['Value'] == b'three' and int(heard[0][0]) > int(index)
    assert c.kv.delete('app/', recurse=True)
    assert c.kv.get('app/', recurse=True)[1] is None


def sessions():
    first = c.session.create(name='first', ttl=10, lock_delay=1)
    second = c.session.create(name='second', behavior='delete', lock_delay=0)
    assert c.session.info(first)[1]['Name'] == 'first'
    assert sorted(one['ID'] for one in c.session.list()[1]) == sorted([first, second])
    assert [one['ID'] for one in c.session.node('n1')[1]]
    assert c.session.renew(first)['ID'] == first
    assert c.kv.put('lock', 'mine', acquire=first) is True
    assert c.kv.put('lock', 'not mine', acquire=second) is False
    held = c.kv.get('lock')[1]
    assert (held['Session'], held['LockIndex'], held['Value']) == (first, 1, b'mine')
    assert c.kv.put('lock', 'free', release=first) is True
    assert 'Session' not in c.kv.get('lock')[1]
    assert c.kv.put('short', 'lived', acquire=second) is True
    assert c.session.destroy(second)
    assert c.kv.get('short')[1] is None
    assert c.session.destroy(first)
    assert c.session.list()[1] == []


for flow in (status, agent, catalog, health, keys, sessions):
    flow()
    print(flow.__name__)
