"""A routing server for tests: stands in for OSRM or Valhalla, and remembers what it was asked."""

import http.server
import json
import threading


class Router:
    """`answers` has what is said at a path's first part: (status, JSON), bytes, or a function of
    the body that gives JSON."""

    def __init__(self, port=0, **answers):
        self.answers, self.asked = answers, []
        router = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                router.asked.append((self.path, None))
                self.answer(None)

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                router.asked.append((self.path, body))
                self.answer(body)

            def answer(self, body):
                name = self.path.split("?")[0].strip("/").split("/")[0]
                status, content = router.answers.get(name, (400, {
                    "code": "InvalidUrl", "message": "URL string malformed"}))
                if callable(content):
                    content = content(body)
                if not isinstance(content, bytes):
                    content = json.dumps(content).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def paths(self, but=("/status",)):
        """The paths that were asked for, without those that find out what it is."""
        return [path for path, _ in self.asked if path not in but]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
