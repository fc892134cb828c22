# An echo bot. Start it with the bot's id and secret: python3 echo.py BOT_ID whsec_...
import base64, hashlib, hmac, json, sys, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
BOT, SECRET, SERVER, PORT = (sys.argv[1:] + ["http://127.0.0.1:8080", "9000"])[:4]
KEY = base64.b64decode(SECRET.removeprefix("whsec_"))
class Echo(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        signed = f'{self.headers["webhook-id"]}.{self.headers["webhook-timestamp"]}.'.encode() + body
        known = "v1," + base64.b64encode(hmac.digest(KEY, signed, hashlib.sha256)).decode()
        given = self.headers.get("webhook-signature", "").split()
        if not any(hmac.compare_digest(known, one) for one in given):
            return self.send_error(401)
        message = json.loads(body)
        if message["sender_type"] == "user" and message["text"]:
            say = json.dumps({"bot_id": BOT, "text": "echo: " + message["text"][:990]}).encode()
            once = {"Idempotency-Key": self.headers["webhook-id"]}
            urllib.request.urlopen(urllib.request.Request(SERVER + "/v3/bots/post", say, once))
        self.send_response(204); self.end_headers()
HTTPServer(("127.0.0.1", int(PORT)), Echo).serve_forever()
