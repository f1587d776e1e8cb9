import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programVersion, startProgram } from '../processes.ts'
import type { Peer } from './peer.ts'

/**
 * adnanh/webhook as packaged by Debian. After responding, it starts a program per webhook. Here, the program does
 * nothing.
 */
export const debianWebhook: Peer = {
  name: 'webhook (Debian)',
  keeps: 'nothing: a webhook is lost with the process, or when its program fails',
  present: () => programVersion('webhook', '-version'),
  async start(folder, port) {
    const hooks = join(folder, 'hooks.json')
    const hook = { id: 'bench', 'execute-command': '/bin/true', 'http-methods': ['POST'] }
    writeFileSync(hooks, JSON.stringify([{ ...hook, 'success-http-response-code': 202 }]))
    const server = await startProgram(['webhook', '-hooks', hooks, '-ip', '127.0.0.1', '-port', String(port)], port)
    return { server, target: { webhooks: { url: new URL(`http://127.0.0.1:${port}/hooks/bench`), status: '202' } } }
  },
}
