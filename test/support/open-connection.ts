import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

interface Connection {
  socket: Socket
  receives(text: string): Promise<void>
  /** Resolves with all received text once the connection is closed. */
  all: Promise<string>
}

export async function open(t: TestContext, port: number, host = '127.0.0.1'): Promise<Connection> {
  const socket = connect(port, host).setEncoding('utf8')
  t.after(() => socket.destroy())
  let received = ''
  socket.on('data', (text: string) => {
    received += text
  })
  socket.on('error', () => {})
  const all = new Promise<string>((resolve) => socket.on('close', () => resolve(received)))
  await once(socket, 'connect')
  return {
    socket,
    all,
    async receives(text) {
      while (!received.includes(text)) await once(socket, 'data')
    },
  }
}
